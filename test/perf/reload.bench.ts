import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { startForkedHost } from '../../electron/engine/host/transport'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { Workbench } from '../../electron/engine/workbench'
import { makeTestCache, testInstallation } from '../support/installation'
import { hotCases } from './hot-edits'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const rounds = Number(process.env['OPSMITH_PERF_ROUNDS'] ?? 500)
/** What caches and allocators take at first is no leak. */
const warmUp = 50

interface Footprint {
  /** Bytes of resident memory. */
  host: number
  main: number
  /** Open files of both processes. */
  files: number
  /** Mappings of the host: a library that was not unloaded leaves some. */
  maps: number
  /** Entries of the folder for temporary files, and temporary ones of the cache. */
  temporary: number
}

function resident(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
}

/** Rebuilds and reloads of one edited operator, 500 of them: what they leave behind. */
export async function runReload(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const workbench = new Workbench(testInstallation(cache), startForkedHost)
  const footprint = (): Footprint => {
    const { pid } = workbench.hosts.state()
    const files = (id: number): number => fs.readdirSync(`/proc/${id}/fd`).length
    return {
      host: resident(pid),
      main: resident(process.pid),
      files: files(pid) + files(process.pid),
      maps: fs.readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n').length,
      temporary:
        fs.readdirSync(os.tmpdir()).length +
        ['objects', 'builds', 'generated']
          .flatMap((name) => fs.readdirSync(path.join(cache.folder, name)))
          .filter((name) => name.includes(`.${process.pid}-`)).length,
    }
  }
  try {
    const one = hotCases(cache).find((item) => item.name === 'autograd::Function')
    if (!one) throw new Error('there is no such case')
    const manifest = await readManifest(one.folder)
    if (!manifest.ok) throw new Error(manifest.error.message)
    const { inputs } = manifest.value
    let round = 0
    const seed = Math.floor(Math.random() * 1e6)
    const step = async (): Promise<void> => {
      fs.writeFileSync(one.file, one.text(seed + round, path.basename(one.folder)))
      const done = await workbench.libraries.buildAndLoad(one.folder, {}, 60)
      if (!done.ok || !done.value.load) throw new Error('it does not build, or load')
      const called = await workbench.runs.run(
        one.folder,
        { ...one.call(round), inputs },
        { timeout: 60 },
      )
      if (!called.ok) throw new Error(called.error.message)
      round += 1
      if (round % 50 === 0) options.say(`${round} rounds`)
    }
    await step()
    const server = await workbench.builds.startCompileServer(one.folder)
    if (!server.ok) throw new Error(server.error.message)
    const started = workbench.hosts.state().generation
    await sample(warmUp, step)
    const before = footprint()
    const seconds = await sample(rounds - warmUp, step)
    const after = footprint()
    const generations = workbench.hosts.state().generation - started
    const count = rounds - warmUp
    const grown = (name: keyof Footprint): number => after[name] - before[name]
    return [
      row('rebuild, reload, call', 's', seconds),
      row('new op hosts', 'of them', [generations]),
      row(`memory of the op host, after ${count} more rounds`, 'MB more', [
        grown('host') / 2 ** 20,
      ]),
      row('memory of main', 'MB more', [grown('main') / 2 ** 20]),
      row('open files, both', 'more', [grown('files')]),
      row('mappings of the op host', 'more', [grown('maps')]),
      row('temporary files', 'more', [grown('temporary')]),
    ]
  } finally {
    await workbench.close()
    cache.remove()
  }
}

export { runReload as run }
