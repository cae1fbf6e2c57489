import path from 'node:path'

import { expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()

it('faults of extension repositories are found by the check that is named, and not in right operators', async () => {
  const folder = copyProject(path.join(root, 'test/cases/operator-checks/extension_faults'), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  const outcomes = unwrap(await workbench.operatorChecks.runAll(folder, { timeout: 120 }))
  expect(outcomes).toHaveLength(28)
  const others = outcomes.filter(({ asExpected }) => !asExpected)
  expect(others.map(({ op, verdict }) => `${op} ${verdict}`)).toEqual([])
}, 120_000)
