import type { OperatorCheckOutcome, PlacedFinding } from '../../../contract/operator-check'
import { caseText, checkSummary, describeCounts, expectationText, failureLines } from './text'
import { htmlPage } from '../../html-page'
import { escapeMarkup } from '../../markup'
import { describeError } from '../../print'

const html = escapeMarkup

function factsOf(outcome: OperatorCheckOutcome): string {
  if (!outcome.report) return outcome.verdict === 'skipped' ? 'not checked' : 'no verdict'
  const expectation = expectationText(outcome)
  const counts = describeCounts(outcome.report)
  return expectation === '' ? counts : `${counts}; ${expectation}`
}

function summaryTable(outcomes: readonly OperatorCheckOutcome[]): string {
  const rows = outcomes.map((outcome) => {
    const mark =
      outcome.verdict === 'skipped'
        ? '<td class="soft">– skipped</td>'
        : outcome.asExpected
          ? '<td class="ok">✓ ok</td>'
          : '<td class="failed">✗ failed</td>'
    const seconds = outcome.report ? `${outcome.report.seconds.toFixed(2)} s` : '–'
    return `<tr>${mark}<td><a href="#check-${outcome.entry}"><code>${html(outcome.name)}</code></a></td><td>${factsOf(outcome)}</td><td class="number">${seconds}</td></tr>`
  })
  return `<table><thead><tr><th></th><th>operator</th><th>checks</th><th>time</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function findingRow(finding: PlacedFinding, folder: string): string {
  const more = finding.status === 'failed' ? failureLines(finding, folder) : []
  const words = [finding.reason, ...more].filter((text) => text !== '').map(html)
  const kind = finding.status === 'skipped' ? 'soft' : finding.status
  return `<tr><td class="${kind}">${finding.status}</td><td>${finding.check}</td><td>${words.join('<br>')}</td></tr>`
}

function outcomeSection(outcome: OperatorCheckOutcome, folder: string): string {
  const { report, error } = outcome
  const head = `<h2 id="check-${outcome.entry}"><span class="${outcome.asExpected ? 'ok' : 'failed'}">${outcome.asExpected ? '✓' : '✗'}</span> <code>${html(outcome.name)}</code></h2>`
  const kind = outcome.verdict === 'skipped' ? 'soft' : 'failed'
  const why = error ? `<pre class="${kind}">${html(describeError(error))}</pre>` : ''
  if (!report) return `${head}${why}`
  const rows = report.findings.map((finding) => findingRow(finding, folder)).join('')
  const made = report.generated
    ? `<p>Inputs made from the schema: <code>${html(caseText(report.generated))}</code></p>`
    : ''
  const open = report.ok ? '' : ' open'
  return `${head}${why}${made}<details${open}><summary>${factsOf(outcome)}</summary><table><thead><tr><th>status</th><th>check</th><th>what was found</th></tr></thead><tbody>${rows}</tbody></table></details>`
}

export function checkHtml(
  title: string,
  facts: readonly string[],
  outcomes: readonly OperatorCheckOutcome[],
  folder: string,
): string {
  const good = outcomes.every((outcome) => outcome.asExpected)
  return htmlPage(title, facts, [
    `<p class="${good ? 'ok' : 'failed'}">${checkSummary(outcomes)}</p>`,
    summaryTable(outcomes),
    ...outcomes.map((outcome) => outcomeSection(outcome, folder)),
  ])
}
