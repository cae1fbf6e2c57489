import { expect, it } from 'vitest'

import { unwrap } from '../../../electron/contract/outcome'
import type { BuiltSample } from './projects'

export function testFaults(sample: BuiltSample): void {
  const { workbench, folder, manifest, onGpu } = sample

  it('an atom index that does not exist ends the op host with the operator’s name, and the next call is right', async () => {
    const [first, ...others] = ['list_neigh', 'dE', 'Ri_d', 'F']
    const shapes: Record<string, number[]> = {
      dE: [1, 1, 1, 4],
      Ri_d: [1, 1, 1, 4, 3],
      F: [1, 1, 3],
    }
    const inputs = onGpu()
    for (const name of others) {
      const spec = inputs[name]
      if (spec) inputs[name] = { ...spec, shape: shapes[name] }
    }
    const list = inputs[first ?? '']
    if (list) inputs['list_neigh'] = { ...list, values: [[[[99]]]] }
    const broken = await workbench.runs.run(
      folder(),
      { op: 'CalcOps::calculateForce', args: ['list_neigh', ...others], inputs },
      { timeout: 60 },
    )
    expect(broken.ok ? '' : broken.error).toMatchObject({
      code: 'host.crashed',
      exit: { reason: 'device' },
    })
    expect(broken.ok ? '' : broken.error.message).toMatch(/calculateForce.*assert/)

    const [call] = manifest().calls
    const next = unwrap(
      await workbench.runs.run(
        folder(),
        { op: 'CalcOps::calculateForce', args: call?.args ?? [], inputs: onGpu() },
        { timeout: 60 },
      ),
    )
    expect(next.outputs).toHaveLength(1)
  })
}
