import type { CheckEntry } from '../../../contract/manifest'
import { operatorCheckName } from '../../../contract/operator-check'
import type { OperatorCheckOutcome } from '../../../contract/operator-check'
import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { ownCommand } from '../../../engine/installation'
import { shardsOfChecks } from '../../../engine/check/check-shards'
import { errorsOfRequest } from '../../../engine/check/outcome-errors'
import { readSettings } from '../../../engine/project/settings-file'
import type { Workbench } from '../../../engine/workbench'
import { interruptSignal } from '../../interrupt'
import { buildToCheck } from '../../checked-project'
import { checkHtml } from './html'
import { checkJson } from './json'
import { checkJunit } from './junit'
import { checkVerbOptions, entriesFor, readCheckOptions, selectChecks } from './options'
import { checkLines, checkSummary, keptLines } from './text'
import type { KeptFailure } from './text'
import { exitCodes } from '../../exit-codes'
import { kernelReportJson, kernelReportSuites } from '../../kernel-report'
import type { OptionValues } from '../../options'
import { printError, printJson, printLines, progress } from '../../print'
import { reportFacts, writeReports } from '../../report-files'
import { noKernelChecks, plainAnswer, readSpread } from '../../shards/options'
import { spreadOver } from '../../shards/spread'
import { defineVerb, projectArgument, refuse } from '../../verb'

/** Of operators that are to pass: each failed check as the simplest call that shows it. */
async function keepFailures(
  workbench: Workbench,
  folder: string,
  entries: readonly CheckEntry[],
  outcomes: readonly OperatorCheckOutcome[],
): Promise<Result<KeptFailure[]>> {
  const kept: KeptFailure[] = []
  for (const outcome of outcomes) {
    const entry = entries[outcome.entry]
    if (!entry || outcome.expect === 'failed') continue
    for (const { check, status, shownCase } of outcome.report?.findings ?? []) {
      if (status !== 'failed' || !shownCase) continue
      const written = await workbench.operatorChecks.keep(folder, entry, { check, shownCase })
      if (!written.ok) return written
      kept.push({ op: outcome.op, check, ...written.value })
    }
  }
  return ok(kept)
}

/** `opsmith check`: operator checks of opsmith.json's operators or of one, with what to do about them. */
async function runChecks(
  workbench: Workbench,
  named: string,
  options: OptionValues<typeof checkVerbOptions>,
): Promise<number> {
  const { json } = options
  // Which operators there are is known once they are built.
  const project = await buildToCheck(workbench, named, json, readCheckOptions(options), () =>
    ok(undefined),
  )
  if (typeof project === 'number') return project
  const { folder, command, manifest, build } = project
  const limits = { timeout: command.timeout, signal: interruptSignal() }
  const asked =
    command.op === ''
      ? await workbench.operatorChecks.entries(folder, limits)
      : ok(entriesFor(command.op, manifest, command.args))
  if (!asked.ok) return printError(asked.error, json)
  const selected = selectChecks(asked.value, command)
  if (!selected.ok) return printError(selected.error, json)
  const entries = selected.value
  const { installation } = workbench
  const settings = await readSettings(installation.configFolder)
  const spread = readSpread(options, settings, ownCommand(installation))
  if (!spread.ok) return printError(spread.error, json)
  if (spread.value) {
    if (workbench.projects.kernelVariant !== 'plain') return refuse(noKernelChecks, json)
    const { sanitize, thorough, timeout } = command
    return await spreadOver(workbench, spread.value, {
      verb: 'check',
      title: `check ${manifest.name}`,
      project: folder,
      shards: shardsOfChecks(entries, { sanitize, thorough, timeout }),
      answer: plainAnswer(json),
    })
  }
  const outcomes = await workbench.operatorChecks.runAll(folder, limits, {
    entries,
    sanitize: command.sanitize,
    thorough: command.thorough,
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
    command.op !== '' && all.every(({ error }) => error && errorsOfRequest.has(error.code))
  if (first && unanswered) return printError(first, json)
  const kept = command.keep ? await keepFailures(workbench, folder, entries, all) : ok([])
  if (!kept.ok) return printError(kept.error, json)
  if (json) printJson({ ...checkJson(all, kept.value), ...(await kernelReportJson(workbench)) })
  else printLines(['', ...keptLines(kept.value), checkSummary(all)])
  const kernels = await kernelReportSuites(workbench)
  const title = `Operator checks of ${manifest.name}`
  const written = await writeReports([
    [command.junit, () => checkJunit(title, all, folder, kernels)],
    [command.html, () => checkHtml(title, reportFacts(build), all, folder)],
  ])
  if (!written.ok) return printError(written.error, false)
  return all.every((outcome) => outcome.asExpected) ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'check',
  order: 8,
  description: 'build, and check operators: schema, kernels, layouts, dtypes, memory',
  argument: projectArgument,
  options: checkVerbOptions,
  notes: [
    'Without --op, this command runs the checks of opsmith.json. If opsmith.json has no key "checks", this command\nchecks the calls of opsmith.json, and every other operator of the project with inputs made from its schema.',
    `Checks: ${operatorCheckName.options.join(', ')}.`,
  ],
  runsOperators: true,
  launchesKernels: true,
  run: runChecks,
})
