import { beforeAll, describe, expect, it } from 'vitest'

import type { Argument, Manifest } from '../../electron/contract/manifest'
import type {
  OperatorCheckFinding,
  OperatorCheckName,
} from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { hiddenFaults, hiddenProject } from '../support/hidden-faults'
import { copyProject } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
let manifest: Manifest

beforeAll(async () => {
  const copy = copyProject(hiddenProject, cache)
  manifest = unwrap(await readManifest(copy))
  expect(unwrap(await workbench.builds.build(copy)).ok).toBe(true)
  unwrap(await workbench.libraries.load(copy, { timeout: 170 }))
})

/** The check alone: all of them, of all of these, take minutes, and are made by `npm run perf -- check`. */
async function check(
  op: string,
  args: Argument[],
  name: OperatorCheckName,
): Promise<OperatorCheckFinding> {
  const report = unwrap(
    await workbench.hosts.call(
      'operatorCheck.run',
      { op, args, inputs: manifest.inputs, checks: [name] },
      { timeout: 120, phase: `check ${op}` },
    ),
  )
  const [finding] = report.findings
  if (!finding) throw new Error(`${name} was not made`)
  return finding
}

describe('faults that the given call alone does not show', () => {
  it('at least 35 operators have one', () => {
    expect(hiddenFaults.length).toBeGreaterThanOrEqual(35)
  })

  it.each(hiddenFaults)('$op fails the check that looks for its fault', async (fault) => {
    const finding = await check(fault.op, fault.args, fault.check)
    expect(finding.status, finding.reason).toBe('failed')
    expect(finding.reason).not.toBe('')
    expect(finding.advice).not.toBe('')
  })

  it.each(hiddenFaults)('$right passes that check', async (fault) => {
    const finding = await check(fault.right, fault.args, fault.check)
    expect(finding).toMatchObject({ status: 'passed', reason: expect.any(String) as string })
  })
})
