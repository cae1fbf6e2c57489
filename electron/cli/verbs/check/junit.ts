import type { OperatorCheckOutcome } from '../../../contract/operator-check'
import { checkLines, expectationText, failureLines } from './text'
import { junitXml } from '../../junit-xml'
import type { Suite, TestCase } from '../../junit-xml'
import { describeError } from '../../print'

/** Checks are not timed one by one: the time of all stands at the first. */
function suiteOf(outcome: OperatorCheckOutcome, folder: string): Suite {
  const { report, error } = outcome
  const output = checkLines(outcome, folder).join('\n')
  const suite = (cases: Suite['cases']): Suite => ({ name: outcome.name, cases, output })
  const failures: TestCase[] = error
    ? [
        {
          name: 'operator_check',
          seconds: 0,
          kind: outcome.verdict === 'skipped' ? 'skipped' : 'error',
          message: error.message,
          text: describeError(error),
        },
      ]
    : []
  if (!report) return suite(failures)
  if (outcome.expect === 'failed' && !error) {
    const message = outcome.asExpected ? '' : expectationText(outcome)
    const kind = outcome.asExpected ? 'passed' : 'failure'
    return suite([{ name: 'fails as expected', seconds: report.seconds, kind, message, text: '' }])
  }
  return suite([
    ...failures,
    ...report.findings.map((finding, index): TestCase => ({
      name: finding.check,
      seconds: index === 0 ? report.seconds : 0,
      kind: finding.status === 'failed' ? 'failure' : finding.status,
      message: finding.reason,
      text: finding.status === 'failed' ? failureLines(finding, folder).join('\n') : '',
    })),
  ])
}

/**
 * A suite for each operator, a case for each of its checks. An operator that is expected to fail is a
 * single case, which passes when it fails.
 * @param more suites after those
 */
export function checkJunit(
  title: string,
  outcomes: readonly OperatorCheckOutcome[],
  folder: string,
  more: readonly Suite[] = [],
): string {
  return junitXml(title, [...outcomes.map((outcome) => suiteOf(outcome, folder)), ...more])
}
