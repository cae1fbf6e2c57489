import path from 'node:path'

import { expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()

it.each([
  ['of extension repositories', 'extension_faults', 28],
  ['that nobody had planned for', 'unplanned_faults', 56],
])(
  'faults %s are found by the check that is named, and not in right operators',
  async (_, project, operators) => {
    const folder = copyProject(path.join(root, 'test/cases/operator-checks', project), cache)
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
    const outcomes = unwrap(await workbench.operatorChecks.runAll(folder, { timeout: 120 }))
    expect(outcomes).toHaveLength(operators)
    const others = outcomes.filter(({ asExpected }) => !asExpected)
    const words = others.map(({ op, verdict, report }) => {
      const found = report?.findings.map(({ check, reason }) => `${check}: ${reason}`)
      return `${op} ${verdict} ${found?.join('; ') ?? ''}`
    })
    expect(words).toEqual([])
  },
  15 * 60_000,
)
