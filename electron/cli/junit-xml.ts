import { escapeAttribute, escapeMarkup } from './markup'

export interface TestCase {
  name: string
  seconds: number
  kind: 'passed' | 'failure' | 'error' | 'skipped'
  message: string
  text: string
}

export interface Suite {
  name: string
  cases: TestCase[]
  output: string
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

/** The JUnit XML that CI servers read. */
export function junitXml(title: string, suites: readonly Suite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeAttribute(title)}" ${countsOf(suites.flatMap((suite) => suite.cases)).replace(/ skipped="\d+"/, '')}>`,
    ...suites.map(suiteXml),
    '</testsuites>',
    '',
  ].join('\n')
}
