import path from 'node:path'

import { manifestFileName } from '../contract/manifest'
import { notAnswered } from '../engine/check/outcome-errors'
import { readManifest } from '../engine/project/read-manifest'
import type { Workbench } from '../engine/workbench'
import { buildAloud, buildJson, interruptSignal } from './build-command'
import { exitCodes } from './exit-codes'
import { gradcheckHtml } from './gradcheck-html'
import { gradcheckJson } from './gradcheck-json'
import { gradcheckJunit } from './gradcheck-junit'
import { readGradcheckOptions, selectEntries } from './gradcheck-options'
import type { GivenGradcheckOptions } from './gradcheck-options'
import { runGradchecks } from './gradcheck-run'
import { outcomeLines, searchLines, summaryLine, sweepLines } from './gradcheck-text'
import { printError, printJson, printLines, progress } from './print'
import { reportFacts, writeReports } from './report-files'

/** `opsmith gradcheck`: gradient checks of opsmith.json or of one operator, with what explains them. */
export async function runGradcheck(
  workbench: Workbench,
  named: string,
  given: GivenGradcheckOptions,
): Promise<number> {
  const json = given.json ?? false
  const folder = path.basename(named) === manifestFileName ? path.dirname(named) : named
  const command = readGradcheckOptions(given)
  if (!command.ok) return printError(command.error, json)
  const manifest = await readManifest(folder)
  if (!manifest.ok) return printError(manifest.error, json)
  const entries = selectEntries(manifest.value, command.value)
  if (!entries.ok) return printError(entries.error, json)
  const build = await buildAloud(workbench, folder)
  if (!build.ok) return printError(build.error, json)
  if (!build.value.ok) {
    if (json) printJson({ ok: false, results: [], build: buildJson(build.value) })
    else progress('the build failed')
    return exitCodes.failed
  }
  const run = await runGradchecks(workbench, folder, manifest.value, entries.value, command.value, {
    signal: interruptSignal(),
    onOutcome: (outcome) => {
      if (!json) printLines(outcomeLines(outcome))
    },
  })
  if (!run.ok) return printError(run.error, json)
  const errors = run.value.outcomes.flatMap(({ error }) => (error ? [error] : []))
  const [first] = errors
  const unanswered =
    command.value.op !== '' &&
    errors.length === run.value.outcomes.length &&
    errors.every((error) => notAnswered.has(error.code))
  if (first && unanswered) return printError(first, json)
  if (json) printJson(gradcheckJson(run.value))
  else {
    for (const sweep of run.value.sweeps) printLines(['', ...sweepLines(sweep)])
    if (run.value.searches.length > 0) printLines(['', ...run.value.searches.flatMap(searchLines)])
    printLines(['', summaryLine(run.value.outcomes)])
  }
  const title = `Gradchecks of ${manifest.value.name}`
  const { outcomes, searches } = run.value
  const written = await writeReports([
    [command.value.junit, () => gradcheckJunit(title, outcomes, searches)],
    [command.value.html, () => gradcheckHtml(title, reportFacts(build.value), run.value)],
  ])
  if (!written.ok) return printError(written.error, false)
  return run.value.ok ? exitCodes.good : exitCodes.failed
}
