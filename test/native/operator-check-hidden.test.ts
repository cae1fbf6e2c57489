import { describe, expect, it } from 'vitest'

import type { Argument } from '../../electron/contract/manifest'
import type {
  OperatorCheckFinding,
  OperatorCheckName,
} from '../../electron/contract/operator-check'
import { useCheckedProject } from '../support/checked-project'
import { hiddenFaults, hiddenProject } from '../support/hidden-faults'

const { check } = useCheckedProject(hiddenProject)

/** One check: all checks of all these operators take minutes. `npm run perf -- check` makes them. */
async function checkAlone(
  op: string,
  args: Argument[],
  name: OperatorCheckName,
): Promise<OperatorCheckFinding> {
  const { findings } = await check(op, args, { checks: [name] })
  const [finding] = findings
  if (!finding) throw new Error(`${name} was not made`)
  return finding
}

describe('faults that the given call alone does not show', () => {
  it('at least 35 operators have one', () => {
    expect(hiddenFaults.length).toBeGreaterThanOrEqual(35)
  })

  it.each(hiddenFaults)('$op fails the check that looks for its fault', async (fault) => {
    const finding = await checkAlone(fault.op, fault.args, fault.check)
    expect(finding.status, finding.reason).toBe('failed')
    expect(finding.reason).not.toBe('')
    expect(finding.advice).not.toBe('')
  })

  it.each(hiddenFaults)('$right passes that check', async (fault) => {
    const finding = await checkAlone(fault.right, fault.args, fault.check)
    expect(finding).toMatchObject({ status: 'passed', reason: expect.any(String) as string })
  })
})
