import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { expect, it } from 'vitest'

import { root } from '../support/installation'

/** Types do not show what a bundle cannot hold: vitest, which no benchmark may import. */
it('each benchmark loads as `npm run perf` loads it', async () => {
  const script = pathToFileURL(path.join(root, 'scripts/lib/load-typescript.mjs'))
  const { loadTypeScript } = (await import(script.href)) as {
    loadTypeScript(file: string): Promise<Record<string, unknown>>
  }
  const files = fs.readdirSync(path.join(root, 'test/perf'))
  const benchmarks = files.filter((name) => name.endsWith('.bench.ts'))
  expect(benchmarks).toContain('start.bench.ts')
  for (const name of benchmarks) {
    const { run } = await loadTypeScript(`test/perf/${name}`)
    expect(run, name).toBeTypeOf('function')
  }
  // Each is bundled with the engine: on a busy machine that takes a second.
}, 600_000)
