import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { packageFlags } from '../../electron/engine/toolchain/pkg-config'
import { startForkedHost } from '../../electron/engine/host/transport'
import { resolveSources } from '../../electron/engine/project/sources'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import {
  copyProject,
  makeTestCache,
  root,
  subfolders,
  testInstallation,
} from '../support/installation'
import type { TestCache } from '../support/installation'
import { python } from '../support/python'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const run = promisify(execFile)
const rounds = 3

/** Nothing compiled before but what set-up made: the precompiled headers. */
function forgetObjects(cache: TestCache): void {
  for (const name of ['objects', 'builds', 'generated']) {
    const folder = path.join(cache.folder, name)
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder)
  }
}

/** The same sources through torch.utils.cpp_extension, in a Python of its own. */
const peerScript = `
import json, sys, os, time
import torch
from torch.utils import cpp_extension
name, folder, sources, cflags, ldflags = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:6])
def build(text):
    started = time.perf_counter()
    cpp_extension.load_inline(name=name, cpp_sources=text, build_directory=folder, is_python_module=False,
        extra_cflags=["-O2"] + cflags, extra_ldflags=ldflags) if len(sources) == 1 else cpp_extension.load(name=name,
        sources=sources, build_directory=folder, is_python_module=False, extra_cflags=["-O2"] + cflags, extra_ldflags=ldflags)
    return time.perf_counter() - started
print(json.dumps(build(open(sources[0]).read())))
`

async function peerSeconds(folder: string, cache: TestCache): Promise<number | undefined> {
  const manifest = await readManifest(folder)
  if (!manifest.ok) return undefined
  const sources = await resolveSources(folder, manifest.value)
  const packages = await packageFlags(manifest.value)
  if (!sources.ok || !packages.ok) return undefined
  const output = fs.mkdtempSync(path.join(cache.home, 'peer-'))
  const includes = [
    folder,
    ...manifest.value.includePaths.map((item) => path.resolve(folder, item)),
  ]
  const { stdout } = await run(
    python,
    [
      '-c',
      peerScript,
      manifest.value.name,
      output,
      JSON.stringify(sources.value.plain.map((source) => path.join(folder, source))),
      JSON.stringify([
        ...includes.map((item) => `-I${item}`),
        ...packages.value.compile,
        ...manifest.value.cflags,
      ]),
      JSON.stringify([...packages.value.link, ...manifest.value.ldflags]),
    ],
    {
      env: {
        ...process.env,
        PATH: `${path.dirname(python)}:${process.env['PATH'] ?? ''}`,
        MAX_JOBS: '2',
      },
      maxBuffer: 64 << 20,
    },
  )
  return Number(stdout.trim().split('\n').at(-1))
}

/**
 * First build, and build after an edit, of each sample, beside load_inline (load, for several files).
 * OPSMITH_PERF_SAMPLES=my_op,rms_norm measures only those: all eight take a quarter of an hour.
 */
export async function runBuilds(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  for (const name of ['objects', 'builds', 'generated']) fs.rmSync(path.join(cache.folder, name))
  const workbench = new Workbench(testInstallation(cache), startForkedHost, {}, commandOptions)
  const rows: Row[] = []
  try {
    const only = (process.env['OPSMITH_PERF_SAMPLES'] ?? '')
      .split(',')
      .filter((name) => name !== '')
    for (const source of subfolders(path.join(root, 'samples'))) {
      const name = path.basename(source)
      if (only.length > 0 && !only.includes(name)) continue
      options.say(name)
      const folder = copyProject(source, cache)
      const first: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        forgetObjects(cache)
        const [seconds = 0] = await sample(1, async () => {
          const build = await workbench.builds.build(folder)
          if (!build.ok || !build.value.ok) throw new Error(`${name} does not build`)
        })
        first.push(seconds)
      }
      const manifest = await readManifest(folder)
      const sources = manifest.ok ? await resolveSources(folder, manifest.value) : undefined
      const edited = path.join(folder, sources?.ok ? (sources.value.plain[0] ?? '') : '')
      const edits: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        fs.appendFileSync(edited, `\nint opsmith_edit_${round}() { return ${round}; }\n`)
        const [seconds = 0] = await sample(1, async () => {
          const build = await workbench.builds.build(folder)
          if (!build.ok || !build.value.ok) throw new Error(`${name} does not build after an edit`)
        })
        edits.push(seconds)
      }
      let peer: { name: string; samples: number[] } | undefined
      try {
        const seconds = await peerSeconds(folder, cache)
        if (seconds !== undefined) peer = { name: 'load_inline', samples: [seconds] }
      } catch (error) {
        options.say(`load_inline does not build ${name}: ${String(error).split('\n')[0] ?? ''}`)
      }
      rows.push(
        row(`${name}, first build`, 's', first, peer),
        row(`${name}, after an edit`, 's', edits, peer),
      )
    }
    return rows
  } finally {
    await workbench.close()
    cache.remove()
  }
}

export { runBuilds as run }
