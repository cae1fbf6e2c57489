import type { GradcheckFinding, GradcheckOutcome } from '../contract/gradcheck'
import type { NamedSearch } from './gradcheck-run'
import { outcomeLines, searchLines } from './gradcheck-text'
import { findingTitle } from './jacobian-picture'
import { escapeAttribute, escapeMarkup } from './markup'
import { describeError } from './print'

interface TestCase {
  name: string
  seconds: number
  kind: 'passed' | 'failure' | 'error' | 'skipped'
  message: string
  text: string
}

interface Suite {
  name: string
  cases: TestCase[]
  output: string
}

function caseOfFinding(outcome: GradcheckOutcome, finding: GradcheckFinding): TestCase {
  const { report } = outcome
  const name = report ? findingTitle(report, finding) : finding.check
  const skipped = finding.status === 'skipped' || finding.status === 'not reached'
  const message =
    finding.status === 'not reached' ? `not reached: ${finding.reason}` : finding.reason
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

function caseXml(suite: Suite, one: TestCase): string {
  const open = `    <testcase classname="${escapeAttribute(suite.name)}" name="${escapeAttribute(one.name)}" time="${one.seconds.toFixed(6)}"`
  if (one.kind === 'passed') return `${open}/>`
  const message = `message="${escapeAttribute(one.message)}"`
  if (one.kind === 'skipped') return `${open}>\n      <skipped ${message}/>\n    </testcase>`
  return `${open}>\n      <${one.kind} ${message}>${escapeMarkup(one.text)}</${one.kind}>\n    </testcase>`
}

function countsOf(cases: readonly TestCase[]): string {
  const count = (kind: TestCase['kind']): number => cases.filter((one) => one.kind === kind).length
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0)
  return `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}" time="${seconds.toFixed(6)}"`
}

function suiteXml(suite: Suite): string {
  return [
    `  <testsuite name="${escapeAttribute(suite.name)}" ${countsOf(suite.cases)}>`,
    ...suite.cases.map((one) => caseXml(suite, one)),
    `    <system-out>${escapeMarkup(suite.output)}</system-out>`,
    '  </testsuite>',
  ].join('\n')
}

/**
 * The JUnit XML that CI servers read: a suite for each gradcheck, a case for each of its checks. One
 * that is expected to fail is a single case, which passes when it fails.
 */
export function junitXml(
  title: string,
  outcomes: readonly GradcheckOutcome[],
  searches: readonly NamedSearch[],
): string {
  const suites = [...outcomes.map(suiteOf), ...searches.map(suiteOfSearch)]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeAttribute(title)}" ${countsOf(suites.flatMap((suite) => suite.cases)).replace(/ skipped="\d+"/, '')}>`,
    ...suites.map(suiteXml),
    '</testsuites>',
    '',
  ].join('\n')
}
