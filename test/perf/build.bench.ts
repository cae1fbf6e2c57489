import fs from 'node:fs'
import path from 'node:path'

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
import { loadInlineSeconds } from './load-inline'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const rounds = 3

/** Nothing compiled before but what set-up made: the precompiled headers. */
function forgetObjects(cache: TestCache): void {
  for (const name of ['objects', 'builds', 'generated']) {
    const folder = path.join(cache.folder, name)
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder)
  }
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
        const seconds = await loadInlineSeconds(folder, cache.home)
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
