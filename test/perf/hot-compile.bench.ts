import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { startForkedHost } from '../../electron/engine/host/transport'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { Workbench } from '../../electron/engine/workbench'
import { makeTestCache, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { python } from '../support/python'
import { hotCases } from './hot-edits'
import type { HotCase } from './hot-edits'
import { quantile, row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const run = promisify(execFile)
const rounds = 10
/** load_inline takes most of a minute: the middle of a few is enough to tell what it is compared with. */
const peerRounds = Number(process.env['OPSMITH_PERF_PEER_ROUNDS'] ?? 1)

/** Edits through load_inline (load, for several files), from the write of the file to the first call. */
const peerScript = `
import json, sys, time
import torch
from torch.utils import cpp_extension
job = json.load(open(sys.argv[1]))
x = torch.randn(8)
out = []
for i, edit in enumerate(job["edits"]):
    started = time.perf_counter()
    with open(job["file"], "w") as file: file.write(edit["text"])
    if len(job["sources"]) == 1:
        cpp_extension.load_inline(name=edit["name"], cpp_sources=edit["text"], is_python_module=False,
            extra_cflags=["-O2"], use_pch=job["pch"])
        eval("torch.ops.%s.f(%s)" % (edit["name"], edit["call"]))
    else:
        cpp_extension.load(name="force", sources=job["sources"], is_python_module=False, extra_cflags=["-O2"],
            extra_include_paths=job["includes"], build_directory=job["folder"])
    out.append(time.perf_counter() - started)
print(json.dumps(out))
`

async function peerSeconds(one: HotCase, cache: TestCache, pch: boolean): Promise<number[]> {
  const folder = fs.mkdtempSync(path.join(cache.home, 'peer-'))
  const several = fs.existsSync(path.join(one.folder, 'src'))
  const home = several ? path.join(folder, 'project') : folder
  if (several) fs.cpSync(one.folder, home, { recursive: true })
  const file = several
    ? path.join(home, path.relative(one.folder, one.file))
    : path.join(home, 'a.cpp')
  const sources = several
    ? fs
        .readdirSync(path.join(home, 'src'))
        .filter((name) => name.endsWith('.cpp'))
        .map((name) => path.join(home, 'src', name))
    : [file]
  // The first build of all, precompiled header included, is not an edit.
  const edits = Array.from({ length: peerRounds + 1 }, (_, round) => ({
    name: `${path.basename(one.folder)}_${round}${pch ? '_pch' : ''}`,
    text: one.text(
      round,
      several ? 'calculate_force' : `${path.basename(one.folder)}_${round}${pch ? '_pch' : ''}`,
    ),
    call: one.python(round),
  }))
  // Python cannot load an operator of the same name twice: of several files only the first edit is loaded.
  const build = path.join(folder, 'build')
  fs.mkdirSync(build)
  const job = path.join(folder, 'job.json')
  const environment = {
    ...process.env,
    PATH: `${path.dirname(python)}:${process.env['PATH'] ?? ''}`,
    MAX_JOBS: '2',
    TORCH_EXTENSIONS_DIR: path.join(cache.home, 'extensions'),
  }
  const ask = async (some: typeof edits): Promise<number[]> => {
    const includes = [path.join(home, 'include')]
    fs.writeFileSync(
      job,
      JSON.stringify({ folder: build, file, sources, includes, pch, edits: some }),
    )
    const options = { env: environment, maxBuffer: 64 << 20 }
    const { stdout } = await run(python, ['-c', peerScript, job], options)
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as number[]
  }
  if (!several) return (await ask(pch ? edits : edits.slice(1))).slice(pch ? 1 : 0)
  const seconds: number[] = []
  for (const [round, edit] of edits.entries()) {
    const [taken = 0] = await ask([edit])
    if (round > 0) seconds.push(taken)
  }
  return seconds
}

/**
 * From the write of the file to the first call of the new code: as the window builds (the compile server) and
 * as every clang does (precompiled headers), beside load_inline with and without its precompiled header.
 * OPSMITH_PERF_PEER_ROUNDS=0 leaves Python out.
 */
export async function runHotCompile(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const forget = (): void => {
    for (const name of ['objects', 'builds', 'generated'])
      fs.rmSync(path.join(cache.folder, name), { recursive: true, force: true })
  }
  forget()
  const settingsFile = path.join(cache.places.configFolder, 'settings.json')
  const workbench = new Workbench(testInstallation(cache), startForkedHost)
  const rows: Row[] = []
  try {
    await workbench.hosts.host()
    const edit = async (one: HotCase, round: number): Promise<void> => {
      fs.writeFileSync(one.file, one.text(round, path.basename(one.folder)))
      const done = await workbench.libraries.buildAndLoad(one.folder, {}, 60)
      if (!done.ok) throw new Error(`${one.name}: ${done.error.message}`)
      const { build, loadError } = done.value
      if (!build.ok || loadError)
        throw new Error(`${one.name}: ${loadError?.message ?? build.diagnostics[0]?.message ?? ''}`)
      const manifest = await readManifest(one.folder)
      if (!manifest.ok) throw new Error(manifest.error.message)
      const { inputs } = manifest.value
      const called = await workbench.runs.run(
        one.folder,
        { ...one.call(round), inputs },
        { timeout: 60 },
      )
      if (!called.ok) throw new Error(`${one.name}: ${called.error.message}`)
    }
    for (const one of hotCases(cache)) {
      options.say(one.name)
      const [first = 0] = await sample(1, () => edit(one, 0))
      fs.writeFileSync(settingsFile, JSON.stringify({ hotCompile: false }))
      const stock = await sample(rounds, (round) => edit(one, round + 1))
      fs.writeFileSync(settingsFile, JSON.stringify({ hotCompile: true }))
      const server = await workbench.builds.startCompileServer(one.folder)
      if (!server.ok) throw new Error(server.error.message)
      const hot = server.value
        ? await sample(rounds, async (round) => {
            await edit(one, round + rounds + 1)
            if (workbench.builds.lastBuild(one.folder)?.hot !== true)
              throw new Error(`${one.name} was not built by the compile server`)
          })
        : []
      const warm: number[] = []
      for (let round = 0; server.value && round < 3; round += 1) {
        await workbench.builds.waitForPlain(one.folder)
        forget()
        warm.push(...(await sample(1, () => edit(one, round + 2 * rounds + 1))))
      }
      const verdict = (seconds: readonly number[]): string => {
        const [median, worst] = [quantile(seconds, 0.5), Math.max(...seconds)]
        const within = median <= one.goal && worst <= one.worst
        return `${within ? 'within' : 'MISSES'} ${one.goal} s, worst ${one.worst} s: worst of ${seconds.length} ${worst.toFixed(2)} s`
      }
      let plain: number[] = []
      let pch: number[] = []
      if (peerRounds > 0) {
        options.say('load_inline')
        plain = await peerSeconds(one, cache, false)
        // load() of several files has no precompiled header.
        if (one.python(0) !== '') pch = await peerSeconds(one, cache, true)
      }
      const peer = plain.length > 0 ? { name: 'load_inline', samples: plain } : undefined
      const withHeader = pch.length > 0 ? { name: 'load_inline, use_pch', samples: pch } : undefined
      rows.push(row(`${one.name}, first build`, 's', [first], peer))
      if (warm.length > 0) rows.push(row(`${one.name}, first build, server up`, 's', warm))
      rows.push(row(`${one.name}, precompiled headers`, 's', stock, withHeader ?? peer))
      if (hot.length > 0) {
        rows.push({ ...row(one.name, 's', hot, peer), verdict: verdict(hot) })
        if (withHeader) rows.push(row(one.name, 's', hot, withHeader))
      }
    }
    return rows
  } finally {
    await workbench.close()
    cache.remove()
  }
}

export { runHotCompile as run }
