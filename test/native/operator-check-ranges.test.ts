import path from 'node:path'

import { expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()

it('gradients are looked at near what sources compare with, and for each integer of a range', async () => {
  const folder = copyProject(path.join(root, 'test/cases/operator-checks/gradient_faults'), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  const outcomes = unwrap(await workbench.operatorChecks.runAll(folder, { timeout: 120 }))
  const found = outcomes.map(({ op, report }) => {
    const failed = report?.findings.filter(({ status }) => status === 'failed') ?? []
    return [op.split('::')[1], failed.map(({ check }) => check)]
  })
  expect(Object.fromEntries(found)).toEqual({
    past_six: ['gradient_values'],
    right_past_six: [],
    wrong_for_thirteen: ['gradients'],
    right_for_thirteen: [],
  })
  const [six] = outcomes[0]?.report?.findings.filter(({ status }) => status === 'failed') ?? []
  expect(six?.reason).toContain('near 6')
})
