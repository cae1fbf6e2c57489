import type { GradcheckFinding, GradcheckOutcome, SweepCurve } from '../../../contract/gradcheck'
import { powerText } from '../../../engine/project/gradcheck-case'
import { errorOf } from '../../../engine/check/jacobian-errors'
import { errorHeatMap, sweepChart } from './charts'
import type { GradcheckRun, NamedSweep } from './run'
import {
  errorText,
  describeLargestError,
  errorsText,
  searchLines,
  summaryLine,
  worstPlace,
} from './text'
import { htmlPage } from '../../html-page'
import { findingTitle } from './jacobian-picture'
import type { ErrorPicture } from './jacobian-picture'
import { escapeMarkup } from '../../markup'
import { describeError } from '../../print'

const html = escapeMarkup

function verdictText(outcome: GradcheckOutcome): string {
  const word = outcome.verdict === 'error' ? 'no verdict' : outcome.verdict
  if (outcome.expect === 'passed') return word
  return outcome.asExpected
    ? `${word}, as expected`
    : `${word}, but opsmith.json expects it to fail`
}

function summaryTable(outcomes: readonly GradcheckOutcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { report } = outcome
    const mark = outcome.asExpected
      ? '<td class="ok">✓ ok</td>'
      : '<td class="failed">✗ failed</td>'
    return `<tr>${mark}<td><a href="#check-${outcome.entry}"><code>${html(outcome.name)}</code></a></td><td>${verdictText(outcome)}</td><td class="number">${report ? errorText(report.error) : '–'}</td><td class="number">${report?.before ? errorText(report.before.error) : '–'}</td><td class="number">${report ? `${report.seconds.toFixed(2)} s` : '–'}</td></tr>`
  })
  return `<table><thead><tr><th></th><th>gradcheck</th><th>verdict</th><th>largest error</th><th>previous build</th><th>time</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function findingRow(outcome: GradcheckOutcome, finding: GradcheckFinding): string {
  const { report } = outcome
  if (!report) return ''
  const { worst } = finding
  const largest = errorOf(finding)
  const values =
    worst && finding.status === 'failed'
      ? `<code>${html(worstPlace(report, finding))}</code><br>analytical <code>${html(worst.analyticalText)}</code>, numerical <code>${html(worst.numericalText)}</code><br>${errorsText(worst)}`
      : largest === undefined
        ? ''
        : `largest error ${errorText(largest)}`
  const words = [finding.reason, finding.cause].filter((text) => text !== '').map(html)
  return `<tr><td class="${finding.status === 'failed' ? 'failed' : finding.status === 'passed' ? 'passed' : 'soft'}">${finding.status}</td><td>${html(findingTitle(report, finding))}</td><td>${words.join('<br>')}</td><td>${values}</td></tr>`
}

function pictureFigure(picture: ErrorPicture): string {
  const part =
    picture.shownRows < picture.rows || picture.shownColumns < picture.columns
      ? `; shown: rows ${picture.rowStart} to ${picture.rowStart + picture.shownRows - 1}, columns ${picture.columnStart} to ${picture.columnStart + picture.shownColumns - 1}`
      : ''
  const pooled =
    picture.cellRows < picture.shownRows || picture.cellColumns < picture.shownColumns
      ? '; each cell shows the largest error of several elements'
      : ''
  const red = picture.cells.some((cell) => Number.isNaN(cell)) ? '; red cells: NaN' : ''
  const ring = picture.failed && picture.worst ? ' The ring marks the worst element.' : ''
  return `<figure>${errorHeatMap(picture)}<figcaption>${html(picture.title)}. Rows: ${picture.rows} elements of the input; columns: ${picture.columns} elements of the output; blank cells: no error${red}${part}${pooled}.${ring}</figcaption></figure>`
}

function outcomeSection(outcome: GradcheckOutcome, pictures: readonly ErrorPicture[]): string {
  const { report, error } = outcome
  const head = `<h2 id="check-${outcome.entry}"><span class="${outcome.asExpected ? 'ok' : 'failed'}">${outcome.asExpected ? '✓' : '✗'}</span> <code>${html(outcome.name)}</code></h2>`
  if (!report) return `${head}<pre class="failed">${html(error ? describeError(error) : '')}</pre>`
  const tensors = (list: typeof report.inputs): string =>
    list
      .map(
        (one) =>
          `<code>${html(one.name)}</code> ${one.dtype}[${one.shape.join(', ')}]${one.requiresGrad ? '' : ' (no gradient)'}`,
      )
      .join(', ')
  const facts = `<p>${verdictText(outcome)}; ${html(describeLargestError(report))}; ${report.calls} calls in ${report.seconds.toFixed(2)} s.<br>Inputs: ${tensors(report.inputs) || 'none'}. Outputs: ${tensors(report.outputs) || 'none'}.</p>`
  const rows = report.findings.map((finding) => findingRow(outcome, finding)).join('')
  const open = outcome.verdict === 'passed' ? '' : ' open'
  return `${head}${facts}${pictures.map(pictureFigure).join('')}<details${open}><summary>${report.findings.length} checks</summary><table><thead><tr><th>status</th><th>check</th><th>why</th><th>error</th></tr></thead><tbody>${rows}</tbody></table></details>`
}

function curveLegend(curve: SweepCurve, index: number): string {
  const best = curve.recommended === undefined ? undefined : curve.points[curve.recommended]
  const text = best
    ? `recommended eps ${powerText(best.eps)}, error ${errorText(best.maxAbsolute)}${curve.points.every(({ ok }) => !ok) ? '; gradcheck fails at every eps' : ''}`
    : curve.reason
  return `<li><span class="curve-${index % 4}">● ${curve.dtype}</span>: ${html(text)}</li>`
}

function sweepSection({ name, report }: NamedSweep): string {
  const drawn = report.curves.filter((curve) => curve.points.length > 0)
  const empty = report.curves.filter((curve) => curve.points.length === 0)
  const legend = [...drawn.map(curveLegend), ...empty.map((curve) => curveLegend(curve, 3))]
  return `<h2>eps sweep: <code>${html(name)}</code></h2><figure>${sweepChart(report)}<figcaption style="max-width:none">Largest error of the Jacobians at each eps (the step of finite differences). Full dots: gradcheck passes. Hollow dots: gradcheck fails. The ring marks the recommended eps. The truncation error grows to the right, the rounding error to the left.</figcaption></figure><ul>${legend.join('')}</ul>`
}

export function gradcheckHtml(title: string, facts: readonly string[], run: GradcheckRun): string {
  const searches = run.searches.map((search) => html(searchLines(search).join('\n')))
  return htmlPage(title, facts, [
    `<p class="${run.ok ? 'ok' : 'failed'}">${html(summaryLine(run.outcomes))}</p>`,
    summaryTable(run.outcomes),
    ...run.outcomes.map((outcome) =>
      outcomeSection(outcome, run.pictures.get(outcome.entry) ?? []),
    ),
    ...run.sweeps.map(sweepSection),
    ...(searches.length > 0 ? ['<h2>Random points</h2>', `<pre>${searches.join('\n')}</pre>`] : []),
  ])
}
