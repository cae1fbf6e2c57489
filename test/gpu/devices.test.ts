import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { startForkedHost } from '../../electron/engine/host/transport'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let workbench: Workbench

beforeAll(async () => {
  cache = makeTestCache()
  workbench = new Workbench(testInstallation(cache), startForkedHost)
  await workbench.applySettings()
})
afterAll(async () => {
  await workbench.close()
  cache.remove()
})

it('runs an operator on the GPU, and its result equals the reference there', async () => {
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const manifest = await readManifest(folder)
  const build = await workbench.build(folder)
  if (!manifest.ok || !build.ok || !build.value.ok) throw new Error('my_op does not build')
  const inputs = Object.fromEntries(
    Object.entries(manifest.value.inputs).map(([name, spec]) => [
      name,
      { ...spec, device: 'cuda' },
    ]),
  )
  const run = await workbench.run(
    folder,
    { op: 'my_op::my_op', args: ['x', 'y'], inputs, reference: '3 * x - y' },
    { timeout: 60 },
  )
  if (!run.ok) throw new Error(run.error.message)
  const [output] = run.value.outputs
  expect(output?.kind === 'tensor' && output.device).toBe('cuda:0')
  expect(run.value.comparisons.map((comparison) => comparison.matches)).toEqual([true])
})
