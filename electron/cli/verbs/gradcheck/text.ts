import type {
  CheckedReport,
  GradcheckFinding,
  GradcheckOutcome,
  SearchReport,
  SweepCurve,
  WorstElement,
} from '../../../contract/gradcheck'
import { powerText } from '../../../engine/project/gradcheck-case'
import type { NamedSearch, NamedSweep } from './run'
import { findingTitle } from './jacobian-picture'
import { describeError } from '../../print'

const indent = '         '

/** Three digits of an error; its size is what matters. */
export function errorText(error: number | null): string {
  if (error === null) return '–'
  if (error === 0) return '0'
  return Number.isFinite(error) ? error.toExponential(2) : String(error)
}

function place(name: string, index: readonly number[]): string {
  return `${name}[${index.join(', ')}]`
}

/** "x[2, 3] → output 0[2, 3]" */
export function worstPlace(report: CheckedReport, finding: GradcheckFinding): string {
  const { worst, input, output } = finding
  if (!worst || input === undefined || output === undefined) return ''
  const name = report.inputs[input]?.name ?? `input ${input}`
  return `${place(name, worst.inputIndex)} → ${place(`output ${output}`, worst.outputIndex)}`
}

/** Next to a numerical zero no error has a relative size. */
export function errorsText(worst: WorstElement): string {
  const absolute = `absolute error ${errorText(worst.absolute)}`
  return Number.isFinite(worst.relative)
    ? `${absolute}, relative ${errorText(worst.relative)}`
    : absolute
}

function describeFailure(report: CheckedReport, finding: GradcheckFinding): string[] {
  const lines = [`${findingTitle(report, finding)}: ${finding.reason}`]
  const { worst } = finding
  if (worst) {
    lines.push(
      `  worst at ${worstPlace(report, finding)}: analytical ${worst.analyticalText}, numerical ${worst.numericalText}`,
      `  ${errorsText(worst)}`,
    )
  }
  if (finding.cause !== '') lines.push(`  ${finding.cause}`)
  return lines
}

/** "largest error 2.1e-10, 3.0e-4 in the previous build" */
export function describeLargestError(report: CheckedReport): string {
  if (report.error === null) {
    const fast = report.findings.some((finding) => finding.projected)
    return fast ? 'the random projections agree' : 'no Jacobian was compared'
  }
  const before =
    report.before === null
      ? ''
      : `, ${errorText(report.before.error)} in the previous build${report.before.ok === report.ok ? '' : report.before.ok ? ' (gradcheck passed)' : ' (gradcheck failed)'}`
  return `largest error ${errorText(report.error)}${before}`
}

/** The checks that were asked for, those that failed and those that could not be made. */
function describeCounts(report: CheckedReport): string {
  const count = (status: GradcheckFinding['status']): number =>
    report.findings.filter((finding) => finding.status === status).length
  const unreached = count('not reached')
  return [
    `${count('passed')} passed`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(unreached > 0 ? [`${unreached} not reached`] : []),
  ].join(', ')
}

/** A line for each check; more for what went wrong. */
export function outcomeLines(outcome: GradcheckOutcome): string[] {
  const { report, error, expect, verdict } = outcome
  const mark = outcome.asExpected ? 'ok    ' : 'FAILED'
  if (error) {
    const text = describeError(error).split('\n').join(`\n${indent}`)
    return [`${mark} ${outcome.name}`, `${indent}${text}`]
  }
  if (!report) return [`${mark} ${outcome.name}`]
  const facts = `${describeCounts(report)}; ${describeLargestError(report)}; ${report.seconds.toFixed(2)} s`
  const lines = [`${mark} ${outcome.name}: ${facts}`]
  const failures = report.findings.filter((finding) => finding.status === 'failed')
  if (expect === 'failed') {
    const [first] = failures
    const cause = first ? first.cause || first.reason : ''
    lines.push(
      verdict === 'failed'
        ? `${indent}fails, as expected: ${cause}`
        : `${indent}passes, but opsmith.json expects it to fail`,
    )
    return lines
  }
  for (const finding of failures) {
    for (const line of describeFailure(report, finding)) lines.push(`${indent}${line}`)
  }
  return lines
}

const barWidth = 24

/** Bars as long as the error's order of magnitude, from the smallest of the curve to the largest. */
function curveLines(curve: SweepCurve): string[] {
  if (curve.points.length === 0) return [`  ${curve.dtype}: ${curve.reason}`]
  const logs = curve.points.map(({ maxAbsolute }) =>
    maxAbsolute > 0 && Number.isFinite(maxAbsolute) ? Math.log10(maxAbsolute) : undefined,
  )
  const known = logs.filter((log) => log !== undefined)
  const low = Math.min(...known)
  const span = Math.max(...known) - low
  const bar = (index: number): string => {
    const log = logs[index]
    if (log === undefined) return curve.points[index]?.maxAbsolute === 0 ? '' : '█'.repeat(barWidth)
    const share = span === 0 ? 1 : (log - low) / span
    return '█'.repeat(Math.max(1, Math.round(share * barWidth)))
  }
  const best = curve.recommended === undefined ? undefined : curve.points[curve.recommended]
  const head = `  ${curve.dtype}: ${best ? `recommended eps ${powerText(best.eps)} with error ${errorText(best.maxAbsolute)}` : `no eps can be recommended: ${curve.reason}`}`
  const lines = curve.points.map((point, index) => {
    const arrow = index === curve.recommended ? '→' : ' '
    const verdict = point.ok ? 'passes' : 'fails '
    const branch = point.branch === 'flat' ? '' : `  ${point.branch}`
    return `  ${arrow} ${powerText(point.eps).padEnd(6)} ${verdict} ${errorText(point.maxAbsolute).padStart(9)}  ${bar(index).padEnd(barWidth)}${branch}`.trimEnd()
  })
  const advice =
    best && curve.points.every(({ ok }) => !ok)
      ? [
          '    gradcheck fails at every eps. Another eps does not help: compare backward with the derivative of forward.',
        ]
      : []
  return [head, ...lines, ...advice]
}

export function sweepLines({ name, report }: NamedSweep): string[] {
  return [
    `eps sweep of ${name} (${report.seconds.toFixed(2)} s)`,
    ...report.curves.flatMap(curveLines),
  ]
}

/** Why a point is the worst: an infinite excess may come from a check that failed without an error. */
function worstPointText({ excess, maxAbsolute, error, report }: SearchReport): string {
  if (excess <= 0)
    return maxAbsolute === null
      ? 'no check failed'
      : `largest error ${errorText(maxAbsolute)}, within its tolerance`
  if (Number.isFinite(excess)) return `the error is ${errorText(excess)} above its tolerance`
  if (error) return 'the gradcheck has no verdict'
  const findings = report?.findings ?? []
  return findings.every(({ worst }) => !worst || Number.isFinite(worst.absolute))
    ? 'a check failed'
    : 'the error is NaN or infinite'
}

export function searchLines(search: NamedSearch): string[] {
  const { name, report, bad, kept } = search
  const seeds = Object.entries(report.seeds)
    .map(([input, seed]) => `${input} ${seed}`)
    .join(', ')
  const lines = [
    `${bad ? 'FAILED' : 'ok    '} ${name}: ${report.failed} of ${report.tried} random points failed (${report.seconds.toFixed(2)} s)`,
    `${indent}worst point (input seeds: ${seeds}): ${worstPointText(report)}`,
  ]
  if (report.error)
    lines.push(`${indent}${describeError(report.error).split('\n').join(`\n${indent}`)}`)
  const worst = report.report?.findings.find((finding) => finding.status === 'failed')
  if (worst && report.report) {
    const checked = { ...report.report, error: null, before: null }
    for (const line of describeFailure(checked, worst)) lines.push(`${indent}${line}`)
  }
  if (kept !== undefined) lines.push(`${indent}added to opsmith.json as gradchecks[${kept}]`)
  else if (bad) lines.push(`${indent}--keep adds this point to opsmith.json (not with --over)`)
  return lines
}

/** "7 of 8 gradchecks are as expected." */
export function summaryLine(outcomes: readonly GradcheckOutcome[]): string {
  const good = outcomes.filter((outcome) => outcome.asExpected).length
  return `${good} of ${outcomes.length} gradchecks are as expected.`
}
