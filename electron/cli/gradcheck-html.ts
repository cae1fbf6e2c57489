import type { GradcheckFinding, GradcheckOutcome, SweepCurve } from '../contract/gradcheck'
import { powerText } from '../engine/check/gradcheck-case'
import { errorOf } from '../engine/check/jacobian-errors'
import { errorHeatMap, sweepChart } from './gradcheck-charts'
import type { GradcheckRun, NamedSweep } from './gradcheck-run'
import {
  errorText,
  describeLargestError,
  errorsText,
  searchLines,
  summaryLine,
  worstPlace,
} from './gradcheck-text'
import { findingTitle } from './jacobian-picture'
import type { ErrorPicture } from './jacobian-picture'
import { escapeMarkup } from './markup'
import { describeError } from './print'

const style = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2024; --soft: #5b6570; --line: #d5dade;
  --good: #146c2e; --bad: #b3261e; --panel: #f5f7f8; --c0: #0b62c4; --c1: #b4500a; --c2: #7b3fa0; --c3: #35740f; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16191d; --text: #e4e8ec; --soft: #9aa5b0; --line: #39414a; --good: #6fd08c; --bad: #ff8a80;
    --panel: #1f242a; --c0: #7db8ff; --c1: #ffb27a; --c2: #d3a5f5; --c3: #a5d67f; } }
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .7rem .3rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; } th { color: var(--soft); font-weight: 600; }
code, .number { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em; overflow-wrap: anywhere; }
.passed, .ok { color: var(--good); } .failed { color: var(--bad); } .soft { color: var(--soft); }
pre { background: var(--panel); padding: .8rem; overflow-x: auto; white-space: pre-wrap; }
figure { margin: 1rem 1.5rem 1rem 0; display: inline-block; vertical-align: top; max-width: 100%; } figcaption { font-size: .85rem; color: var(--soft); max-width: 340px; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px ui-monospace, monospace; }
.none { fill: var(--panel); } .frame { fill: none; stroke: var(--line); } .worst { fill: none; stroke: #ff2d55; stroke-width: 2.5; }
.grid { stroke: var(--line); stroke-width: 1; } .line { fill: none; stroke: currentColor; stroke-width: 1.5; }
.passes { fill: currentColor; } .fails { fill: var(--back); stroke: currentColor; stroke-width: 1.5; }
.best { fill: none; stroke: currentColor; stroke-width: 2; }
.curve-0 { color: var(--c0); } .curve-1 { color: var(--c1); } .curve-2 { color: var(--c2); } .curve-3 { color: var(--c3); }
.scale { font-size: .8rem; color: var(--soft); margin: .2rem 0; } .ramp { display: inline-block; width: 8rem; height: .7rem; vertical-align: middle; }
`

const html = escapeMarkup

function verdictText(outcome: GradcheckOutcome): string {
  const word = outcome.verdict === 'error' ? 'no verdict' : outcome.verdict
  if (outcome.expect === 'passed') return word
  return outcome.asExpected ? `${word}, as expected` : `${word}, but is expected to fail`
}

function summaryTable(outcomes: readonly GradcheckOutcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { report } = outcome
    const mark = outcome.asExpected
      ? '<td class="ok">✓ ok</td>'
      : '<td class="failed">✗ failed</td>'
    return `<tr>${mark}<td><a href="#check-${outcome.entry}"><code>${html(outcome.name)}</code></a></td><td>${verdictText(outcome)}</td><td class="number">${report ? errorText(report.error) : '–'}</td><td class="number">${report?.before ? errorText(report.before.error) : '–'}</td><td class="number">${report ? `${report.seconds.toFixed(2)} s` : '–'}</td></tr>`
  })
  return `<table><thead><tr><th></th><th>gradcheck</th><th>verdict</th><th>largest error</th><th>build before</th><th>time</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
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
      ? '; each cell is the largest error in its part'
      : ''
  const ring = picture.failed && picture.worst ? ' The ring is the worst element.' : ''
  return `<figure>${errorHeatMap(picture)}<figcaption>${html(picture.title)}. Rows: ${picture.rows} elements of the input, columns: ${picture.columns} of the output; blank: no error${part}${pooled}.${ring}</figcaption></figure>`
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
    ? `recommended eps ${powerText(best.eps)}, error ${errorText(best.maxAbsolute)} there${best.ok ? '' : ', and gradcheck fails at every better one too'}`
    : curve.reason
  return `<li><span class="curve-${index % 4}">● ${curve.dtype}</span>: ${html(text)}</li>`
}

function sweepSection({ name, report }: NamedSweep): string {
  const drawn = report.curves.filter((curve) => curve.points.length > 0)
  const empty = report.curves.filter((curve) => curve.points.length === 0)
  const legend = [...drawn.map(curveLegend), ...empty.map((curve) => curveLegend(curve, 3))]
  return `<h2>eps sweep: <code>${html(name)}</code></h2><figure>${sweepChart(report)}<figcaption style="max-width:none">Largest error of the Jacobians over the step of finite differences. Full dots pass, hollow ones fail; the ring is the recommended step. To the right truncation prevails, to the left rounding.</figcaption></figure><ul>${legend.join('')}</ul>`
}

/** A page of its own, without scripts and without anything to load; it follows the reader's colour scheme. */
export function gradcheckHtml(title: string, facts: readonly string[], run: GradcheckRun): string {
  const searches = run.searches.map((search) => html(searchLines(search).join('\n')))
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(title)}</title><style>${style}</style></head><body>`,
    `<h1>${html(title)}</h1>`,
    `<p class="soft">${facts.map(html).join('<br>')}</p>`,
    `<p class="${run.ok ? 'ok' : 'failed'}">${html(summaryLine(run.outcomes))}</p>`,
    summaryTable(run.outcomes),
    ...run.outcomes.map((outcome) =>
      outcomeSection(outcome, run.pictures.get(outcome.entry) ?? []),
    ),
    ...run.sweeps.map(sweepSection),
    ...(searches.length > 0 ? ['<h2>Random points</h2>', `<pre>${searches.join('\n')}</pre>`] : []),
    '</body></html>',
    '',
  ].join('\n')
}
