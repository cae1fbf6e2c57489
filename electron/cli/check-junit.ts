import type { OpcheckOutcome } from '../contract/opcheck'
import { checkLines, expectationText, failureLines } from './check-text'
import { junitXml } from './junit-xml'
import type { Suite } from './junit-xml'
import { describeError } from './print'

/** Checks are not timed one by one: the time of all stands at the first. */
function suiteOf(outcome: OpcheckOutcome, folder: string): Suite {
  const { report, error } = outcome
  const output = checkLines(outcome, folder).join('\n')
  const suite = (cases: Suite['cases']): Suite => ({ name: outcome.name, cases, output })
  if (!report) {
    const message = error?.message ?? ''
    const text = error ? describeError(error) : ''
    const kind = outcome.verdict === 'skipped' ? 'skipped' : 'error'
    return suite([{ name: 'opcheck', seconds: 0, kind, message, text }])
  }
  if (outcome.expect === 'failed') {
    const message = outcome.asExpected ? '' : expectationText(outcome)
    const kind = outcome.asExpected ? 'passed' : 'failure'
    return suite([{ name: 'fails as expected', seconds: report.seconds, kind, message, text: '' }])
  }
  return suite(
    report.findings.map((finding, index) => ({
      name: finding.check,
      seconds: index === 0 ? report.seconds : 0,
      kind: finding.status === 'failed' ? 'failure' : finding.status,
      message: finding.reason,
      text: finding.status === 'failed' ? failureLines(finding, folder).join('\n') : '',
    })),
  )
}

/**
 * A suite for each operator, a case for each of its checks. An operator that is expected to fail is a
 * single case, which passes when it fails.
 */
export function checkJunit(
  title: string,
  outcomes: readonly OpcheckOutcome[],
  folder: string,
): string {
  return junitXml(
    title,
    outcomes.map((outcome) => suiteOf(outcome, folder)),
  )
}
