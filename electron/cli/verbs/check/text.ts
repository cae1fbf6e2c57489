import path from 'node:path'

import type {
  OperatorCheckCase,
  OperatorCheckOutcome,
  PlacedFinding,
  PlacedOperatorCheckReport,
} from '../../../contract/operator-check'
import type { StackFrame } from '../../../contract/outcome'
import { findingLines } from '../../kernel-report'
import { describeError } from '../../print'

const indent = '         '
const marks = { passed: '✓', failed: '✗', skipped: '–' } as const

/** "x[0, 1]", "output 0[2]", "x" */
export function elementText(finding: PlacedFinding): string {
  const name = finding.output === undefined ? finding.input : `output ${finding.output}`
  if (name === '') return ''
  return finding.index.length === 0 ? name : `${name}[${finding.index.join(', ')}]`
}

/** "rms_norm.cpp:12", seen from the project. */
export function placeText(finding: PlacedFinding, folder: string): string {
  if (finding.file === undefined) return ''
  const relative = path.relative(folder, finding.file)
  const file = relative.startsWith('..') ? finding.file : relative
  return finding.line ? `${file}:${finding.line}` : file
}

/** "next" of "(anonymous namespace)::next(int)" */
const functionName = (symbol: string): string =>
  symbol.replace('(anonymous namespace)::', '').replace(/\(.*$/, '')

/** The user's own frames, where there is more to see than the line itself. */
function stackLines(finding: PlacedFinding, folder: string): string[] {
  const { stack = [], allocated = [], freed = [] } = finding.sanitizer ?? { stack: finding.stack }
  const linesOf = (name: string, frames: readonly StackFrame[], least: number): string[] => {
    const own = frames.filter((frame) => frame.isUser && frame.file !== undefined)
    if (own.length < least) return []
    const texts = own.map(
      ({ symbol, file, line }) =>
        `  ${functionName(symbol)} ${path.relative(folder, file ?? '')}:${line ?? 0}`,
    )
    return [name, ...texts]
  }
  return [
    ...linesOf('called from', stack, 2),
    ...linesOf('allocated by', allocated, 1),
    ...linesOf('freed by', freed, 1),
  ]
}

/** What is known of a failure beside its reason, a sentence a line. */
export function failureLines(finding: PlacedFinding, folder: string): string[] {
  const element = elementText(finding)
  const place = placeText(finding, folder)
  return [
    ...(finding.index.length > 0 && element !== '' ? [`at ${element}`] : []),
    ...(finding.shownBy === '' ? [] : [`reproduced by ${finding.shownBy}`]),
    ...(finding.advice === '' ? [] : [`→ ${finding.advice}`]),
    ...(place === '' ? [] : [`look at ${place}`]),
    ...stackLines(finding, folder),
    ...(finding.kernels ?? []).flatMap(findingLines),
  ]
}

export function describeCounts(report: PlacedOperatorCheckReport): string {
  const count = (status: PlacedFinding['status']): number =>
    report.findings.filter((finding) => finding.status === status).length
  return [
    `${count('passed')} passed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('skipped') > 0 ? [`${count('skipped')} skipped`] : []),
  ].join(', ')
}

/** What is to be said of a verdict that opsmith.json expects to be "failed"; "" of others. */
export function expectationText({ expect, verdict, asExpected }: OperatorCheckOutcome): string {
  if (expect === 'passed' || verdict === 'error') return ''
  return asExpected ? 'fails, as expected' : 'passes, but opsmith.json expects it to fail'
}

/** "x float32[3, 4], y int64[3]" */
export function caseText({ inputs }: OperatorCheckCase): string {
  const words = Object.entries(inputs).map(
    ([name, { dtype, shape }]) => `${name} ${dtype}[${(shape ?? []).join(', ')}]`,
  )
  return words.length === 0 ? 'no tensors' : words.join(', ')
}

/** A failure that went into opsmith.json's `checks`, or was there already. */
export interface KeptFailure {
  op: string
  check: string
  /** Its place in the list. */
  entry: number
  added: boolean
}

export function keptLines(kept: readonly KeptFailure[]): string[] {
  return kept.map(
    ({ op, check, entry, added }) =>
      `${check} of ${op} ${added ? 'was added to opsmith.json as' : 'is already in opsmith.json:'} check ${entry + 1}`,
  )
}

/** A line for the operator and one for each check; more for what failed. */
export function checkLines(outcome: OperatorCheckOutcome, folder: string): string[] {
  const word = outcome.verdict === 'skipped' ? 'skipped' : outcome.asExpected ? 'ok    ' : 'FAILED'
  const head = `${word} ${outcome.name}`
  const { error, report } = outcome
  const text = error ? describeError(error).split('\n').join(`\n${indent}`) : ''
  const why = error ? [`${indent}${text}`] : []
  if (!report) return [head, ...why]
  const width = Math.max(...report.findings.map((finding) => finding.check.length))
  const expectation = expectationText(outcome)
  const lines = [`${head}: ${describeCounts(report)}; ${report.seconds.toFixed(2)} s`]
  lines.push(...why)
  const { generated } = report
  if (generated) lines.push(`${indent}with inputs made from the schema: ${caseText(generated)}`)
  if (expectation !== '') lines.push(`${indent}${expectation}`)
  for (const finding of report.findings) {
    lines.push(
      `  ${marks[finding.status]} ${finding.check.padEnd(width)}  ${finding.reason}`.trimEnd(),
    )
    if (finding.status !== 'failed') continue
    for (const line of failureLines(finding, folder)) lines.push(`${' '.repeat(width + 6)}${line}`)
  }
  return lines
}

/** "3 of 4 operators are as expected." */
export function checkSummary(outcomes: readonly OperatorCheckOutcome[]): string {
  const checked = outcomes.filter((outcome) => outcome.verdict !== 'skipped')
  const good = checked.filter((outcome) => outcome.asExpected).length
  const skipped = outcomes.length - checked.length
  return `${good} of ${checked.length} operators are as expected${skipped > 0 ? `; ${skipped} ${skipped === 1 ? 'was' : 'were'} not checked` : ''}.`
}
