import { notAnswered } from '../engine/check/outcome-errors'
import type { Workbench } from '../engine/workbench'
import { interruptSignal } from './build-command'
import { buildToCheck } from './checked-project'
import { checkHtml } from './check-html'
import { checkJson } from './check-json'
import { checkJunit } from './check-junit'
import { readCheckOptions, selectChecks } from './check-options'
import type { GivenCheckOptions } from './check-options'
import { checkLines, checkSummary } from './check-text'
import { exitCodes } from './exit-codes'
import { printError, printJson, printLines, progress } from './print'
import { reportFacts, writeReports } from './report-files'

/** `opsmith check`: operator checks of opsmith.json's operators or of one, with what to do about them. */
export async function runChecks(
  workbench: Workbench,
  named: string,
  given: GivenCheckOptions,
): Promise<number> {
  const json = given.json ?? false
  const project = await buildToCheck(workbench, named, json, readCheckOptions(given), selectChecks)
  if (typeof project === 'number') return project
  const { folder, command, manifest, entries, build } = project
  const limits = { timeout: command.timeout, signal: interruptSignal() }
  const outcomes = await workbench.opchecks.runAll(folder, limits, {
    entries,
    onProgress: (done, total, outcome) => {
      if (!outcome) return
      if (json) progress(`${done} of ${total}: ${outcome.name}: ${outcome.verdict}`)
      else printLines(checkLines(outcome, folder))
    },
  })
  if (!outcomes.ok) return printError(outcomes.error, json)
  const all = outcomes.value
  const [first] = all.flatMap(({ error }) => (error ? [error] : []))
  const unanswered =
    command.op !== '' && all.every(({ error }) => error && notAnswered.has(error.code))
  if (first && unanswered) return printError(first, json)
  if (json) printJson(checkJson(all))
  else printLines(['', checkSummary(all)])
  const title = `Operator checks of ${manifest.name}`
  const written = await writeReports([
    [command.junit, () => checkJunit(title, all, folder)],
    [command.html, () => checkHtml(title, reportFacts(build), all, folder)],
  ])
  if (!written.ok) return printError(written.error, false)
  return all.every((outcome) => outcome.asExpected) ? exitCodes.good : exitCodes.failed
}
