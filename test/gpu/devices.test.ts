import path from 'node:path'

import { expect, it } from 'vitest'

import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench({ inWindow: true })

it('an operator runs on the GPU, and its result equals the reference there', async () => {
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const manifest = await readManifest(folder)
  const build = await workbench.builds.build(folder)
  if (!manifest.ok || !build.ok || !build.value.ok) throw new Error('my_op does not build')
  const inputs = Object.fromEntries(
    Object.entries(manifest.value.inputs).map(([name, spec]) => [
      name,
      { ...spec, device: 'cuda' },
    ]),
  )
  const run = await workbench.runs.run(
    folder,
    { op: 'my_op::my_op', args: ['x', 'y'], inputs, reference: '3 * x - y' },
    { timeout: 60 },
  )
  if (!run.ok) throw new Error(run.error.message)
  const [output] = run.value.outputs
  expect(output?.kind === 'tensor' && output.device).toBe('cuda:0')
  expect(run.value.comparisons.map((comparison) => comparison.matches)).toEqual([true])
})
