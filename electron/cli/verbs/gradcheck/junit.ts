import type { GradcheckFinding, GradcheckOutcome } from '../../../contract/gradcheck'
import type { NamedSearch } from './run'
import { outcomeLines, searchLines } from './text'
import { findingTitle } from './jacobian-picture'
import { junitXml } from '../../junit-xml'
import type { Suite, TestCase } from '../../junit-xml'
import { describeError } from '../../print'

function caseOfFinding(outcome: GradcheckOutcome, finding: GradcheckFinding): TestCase {
  const { report } = outcome
  const name = report ? findingTitle(report, finding) : finding.check
  const skipped = finding.status === 'skipped' || finding.status === 'not reached'
  const message =
    finding.status === 'not reached' ? `not checked: ${finding.reason}` : finding.reason
  return {
    name,
    seconds: 0,
    kind: finding.status === 'failed' ? 'failure' : skipped ? 'skipped' : 'passed',
    message,
    text: finding.status === 'failed' ? finding.cause : '',
  }
}

/** The time is the whole gradcheck's: its checks share their Jacobians, so it stands at the first. */
function suiteOf(outcome: GradcheckOutcome): Suite {
  const { report, error, expect } = outcome
  const output = outcomeLines(outcome).join('\n')
  const suite = (cases: TestCase[]): Suite => ({ name: outcome.name, cases, output })
  if (!report) {
    const text = error ? describeError(error) : ''
    const message = error?.message ?? ''
    return suite([{ name: 'gradcheck', seconds: 0, kind: 'error', message, text }])
  }
  if (expect === 'failed') {
    const message = outcome.asExpected ? '' : 'passes, but opsmith.json expects it to fail'
    const kind = outcome.asExpected ? 'passed' : 'failure'
    return suite([{ name: 'fails as expected', seconds: report.seconds, kind, message, text: '' }])
  }
  return suite(
    report.findings.map((finding, index) => ({
      ...caseOfFinding(outcome, finding),
      seconds: index === 0 ? report.seconds : 0,
    })),
  )
}

function suiteOfSearch(search: NamedSearch): Suite {
  const lines = searchLines(search)
  const { failed, tried, seconds } = search.report
  return {
    name: `${search.name}, random points`,
    cases: [
      {
        name: `${tried} random points`,
        seconds,
        kind: search.bad ? 'failure' : 'passed',
        message: search.bad ? `${failed} of ${tried} random points failed` : '',
        text: search.bad ? lines.slice(1).join('\n') : '',
      },
    ],
    output: lines.join('\n'),
  }
}

/**
 * A suite for each gradcheck, a case for each of its checks. One that is expected to fail is a single
 * case, which passes when it fails.
 * @param more suites after those
 */
export function gradcheckJunit(
  title: string,
  outcomes: readonly GradcheckOutcome[],
  searches: readonly NamedSearch[],
  more: readonly Suite[] = [],
): string {
  return junitXml(title, [...outcomes.map(suiteOf), ...searches.map(suiteOfSearch), ...more])
}
