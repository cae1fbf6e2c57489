import path from 'node:path'

import { beforeAll, expect, it } from 'vitest'

import type { InputSpec, Manifest } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

// Written without a GPU at hand, and never yet run on one.

const { workbench, cache } = useWorkbench()
let folder: string
let manifest: Manifest

beforeAll(async () => {
  folder = copyProject(path.join(root, 'samples/calculate_force'), cache)
  manifest = unwrap(await readManifest(folder))
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
})

const onGpu = (more: Partial<InputSpec> = {}): Record<string, InputSpec> =>
  Object.fromEntries(
    Object.entries(manifest.inputs).map(([name, spec]) => [
      name,
      { ...spec, device: 'cuda', ...(name === 'list_neigh' ? {} : more) },
    ]),
  )

it.each(['float64', 'float32'] as const)(
  'the kernel gives the right forces in %s',
  async (dtype) => {
    const call = manifest.calls[0]
    const run = unwrap(
      await workbench.runs.run(
        folder,
        {
          op: 'CalcOps::calculateForce',
          args: call?.args ?? [],
          inputs: onGpu({ dtype }),
          reference: call?.reference ?? '',
        },
        { timeout: 60 },
      ),
    )
    const [output] = run.outputs
    expect(output?.kind === 'tensor' && output.device).toBe('cuda:0')
    expect(run.comparisons.map((comparison) => comparison.matches)).toEqual([true])
  },
)

it("the kernels' gradients agree with finite differences", async () => {
  // Forces are added up in any order.
  const entries = manifest.gradchecks
    .filter(({ op }) => op === 'CalcOps::calculateForce')
    .map((entry) => ({ ...entry, nondet_tol: 1e-12, inputs: onGpu() }))
  const outcomes = unwrap(await workbench.gradchecks.runAll(folder, { timeout: 60 }, { entries }))
  expect(outcomes.length).toBeGreaterThan(0)
  for (const outcome of outcomes) expect(outcome.asExpected, JSON.stringify(outcome)).toBe(true)
})

it('an atom index that does not exist stops the kernel', async () => {
  const [first, ...others] = ['list_neigh', 'dE', 'Ri_d', 'F']
  const shapes: Record<string, number[]> = { dE: [1, 1, 1, 4], Ri_d: [1, 1, 1, 4, 3], F: [1, 1, 3] }
  const inputs = onGpu()
  for (const name of others) {
    const spec = inputs[name]
    if (spec) inputs[name] = { ...spec, shape: shapes[name] }
  }
  const list = inputs[first ?? '']
  if (list) inputs['list_neigh'] = { ...list, values: [[[[99]]]] }
  const run = await workbench.runs.run(
    folder,
    { op: 'CalcOps::calculateForce', args: ['list_neigh', ...others], inputs },
    { timeout: 60 },
  )
  expect(run.ok).toBe(false)
})
