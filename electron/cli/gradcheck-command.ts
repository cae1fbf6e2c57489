import { errorsOfRequest } from '../engine/check/outcome-errors'
import type { Workbench } from '../engine/workbench'
import { interruptSignal } from './build-command'
import { buildToCheck } from './checked-project'
import { exitCodes } from './exit-codes'
import { gradcheckHtml } from './gradcheck-html'
import { gradcheckJson } from './gradcheck-json'
import { gradcheckJunit } from './gradcheck-junit'
import { readGradcheckOptions, selectEntries } from './gradcheck-options'
import type { GivenGradcheckOptions } from './gradcheck-options'
import { runGradchecks } from './gradcheck-run'
import { outcomeLines, searchLines, summaryLine, sweepLines } from './gradcheck-text'
import { printError, printJson, printLines } from './print'
import { reportFacts, writeReports } from './report-files'

/** `opsmith gradcheck`: gradient checks of opsmith.json or of one operator, with what explains them. */
export async function runGradcheck(
  workbench: Workbench,
  named: string,
  given: GivenGradcheckOptions,
): Promise<number> {
  const json = given.json ?? false
  const project = await buildToCheck(
    workbench,
    named,
    json,
    readGradcheckOptions(given),
    selectEntries,
  )
  if (typeof project === 'number') return project
  const { folder, command, manifest, entries, build } = project
  const run = await runGradchecks(workbench, folder, manifest, entries, command, {
    signal: interruptSignal(),
    onOutcome: (outcome) => {
      if (!json) printLines(outcomeLines(outcome))
    },
  })
  if (!run.ok) return printError(run.error, json)
  const errors = run.value.outcomes.flatMap(({ error }) => (error ? [error] : []))
  const [first] = errors
  const unanswered =
    command.op !== '' &&
    errors.length === run.value.outcomes.length &&
    errors.every((error) => errorsOfRequest.has(error.code))
  if (first && unanswered) return printError(first, json)
  if (json) printJson(gradcheckJson(run.value))
  else {
    for (const sweep of run.value.sweeps) printLines(['', ...sweepLines(sweep)])
    if (run.value.searches.length > 0) printLines(['', ...run.value.searches.flatMap(searchLines)])
    printLines(['', summaryLine(run.value.outcomes)])
  }
  const title = `Gradchecks of ${manifest.name}`
  const { outcomes, searches } = run.value
  const written = await writeReports([
    [command.junit, () => gradcheckJunit(title, outcomes, searches)],
    [command.html, () => gradcheckHtml(title, reportFacts(build), run.value)],
  ])
  if (!written.ok) return printError(written.error, false)
  return run.value.ok ? exitCodes.good : exitCodes.failed
}
