import path from 'node:path'

import { manifestFileName } from '../contract/manifest'
import { notAnswered } from '../engine/check/outcome-errors'
import { readManifest } from '../engine/project/read-manifest'
import type { Workbench } from '../engine/workbench'
import { buildAloud, buildJson, interruptSignal } from './build-command'
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
  const folder = path.basename(named) === manifestFileName ? path.dirname(named) : named
  const command = readCheckOptions(given)
  if (!command.ok) return printError(command.error, json)
  const manifest = await readManifest(folder)
  if (!manifest.ok) return printError(manifest.error, json)
  const entries = selectChecks(manifest.value, command.value)
  if (!entries.ok) return printError(entries.error, json)
  const build = await buildAloud(workbench, folder)
  if (!build.ok) return printError(build.error, json)
  if (!build.value.ok) {
    if (json) printJson({ ok: false, results: [], build: buildJson(build.value) })
    else progress('the build failed')
    return exitCodes.failed
  }
  const limits = { timeout: command.value.timeout, signal: interruptSignal() }
  const outcomes = await workbench.opchecks.runAll(folder, limits, {
    entries: entries.value,
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
    command.value.op !== '' && all.every(({ error }) => error && notAnswered.has(error.code))
  if (first && unanswered) return printError(first, json)
  if (json) printJson(checkJson(all))
  else printLines(['', checkSummary(all)])
  const title = `Operator checks of ${manifest.value.name}`
  const written = await writeReports([
    [command.value.junit, () => checkJunit(title, all, folder)],
    [command.value.html, () => checkHtml(title, reportFacts(build.value), all, folder)],
  ])
  if (!written.ok) return printError(written.error, false)
  return all.every((outcome) => outcome.asExpected) ? exitCodes.good : exitCodes.failed
}
