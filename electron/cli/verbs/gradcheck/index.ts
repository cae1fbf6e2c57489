import { ownCommand } from '../../../engine/installation'
import { drawnInputsOf, shardsOfGradchecks } from '../../../engine/check/gradcheck-shards'
import { errorsOfRequest } from '../../../engine/check/outcome-errors'
import { nameOf } from '../../../engine/project/gradcheck-case'
import { readSettings } from '../../../engine/project/settings-file'
import type { Workbench } from '../../../engine/workbench'
import { interruptSignal } from '../../interrupt'
import { buildToCheck } from '../../checked-project'
import { exitCodes } from '../../exit-codes'
import { kernelReportJson, kernelReportSuites } from '../../kernel-report'
import { gradcheckHtml } from './html'
import { gradcheckJson } from './json'
import { gradcheckJunit } from './junit'
import { gradcheckVerbOptions, readGradcheckOptions, selectEntries } from './options'
import { runGradchecks } from './run'
import { outcomeLines, searchLines, summaryLine, sweepLines } from './text'
import type { OptionValues } from '../../options'
import { printError, printJson, printLines, progress } from '../../print'
import { reportFacts, writeReports } from '../../report-files'
import { noKernelChecks, plainAnswer, readSpread } from '../../shards/options'
import { spreadOver } from '../../shards/spread'
import { defineVerb, projectArgument, refuse } from '../../verb'

/** `opsmith gradcheck`: gradient checks of opsmith.json or of one operator, with what explains them. */
async function runGradcheck(
  workbench: Workbench,
  named: string,
  options: OptionValues<typeof gradcheckVerbOptions>,
): Promise<number> {
  const { json } = options
  const project = await buildToCheck(
    workbench,
    named,
    json,
    readGradcheckOptions(options),
    selectEntries,
  )
  if (typeof project === 'number') return project
  const { folder, command, manifest, entries, build } = project
  const settings = await readSettings(workbench.installation.configFolder)
  const spread = readSpread(options, settings, ownCommand(workbench.installation))
  if (!spread.ok) return printError(spread.error, json)
  if (spread.value) {
    if (workbench.projects.kernelVariant !== 'plain') return refuse(noKernelChecks, json)
    for (const entry of command.search === 0 ? [] : entries) {
      if (entry.expect !== 'failed' && drawnInputsOf(entry, manifest).length === 0)
        progress(
          `${nameOf(entry)}: no input has random values, so --search has no other points to try (set a distribution: randn, rand or randint)`,
        )
    }
    const shards = shardsOfGradchecks(entries, manifest, {
      timeout: command.timeout === 0 ? settings.callTimeout : command.timeout,
      points: command.search,
      firstSeed: command.firstSeed,
      jobs: spread.value.jobs,
    })
    return await spreadOver(workbench, spread.value, {
      verb: 'gradcheck',
      title: `gradcheck ${manifest.name}`,
      project: folder,
      shards,
      answer: plainAnswer(json),
    })
  }
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
  if (json) printJson({ ...gradcheckJson(run.value), ...(await kernelReportJson(workbench)) })
  else {
    for (const sweep of run.value.sweeps) printLines(['', ...sweepLines(sweep)])
    if (run.value.searches.length > 0) printLines(['', ...run.value.searches.flatMap(searchLines)])
    printLines(['', summaryLine(run.value.outcomes)])
  }
  const title = `Gradchecks of ${manifest.name}`
  const { outcomes, searches } = run.value
  const kernels = await kernelReportSuites(workbench)
  const written = await writeReports([
    [command.junit, () => gradcheckJunit(title, outcomes, searches, kernels)],
    [command.html, () => gradcheckHtml(title, reportFacts(build), run.value)],
  ])
  if (!written.ok) return printError(written.error, false)
  return run.value.ok ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'gradcheck',
  order: 7,
  description: 'build, and check gradients: the gradchecks of opsmith.json, or one operator',
  argument: projectArgument,
  options: gradcheckVerbOptions,
  notes: [
    'The key "expect" in opsmith.json says whether a gradcheck must pass or fail. If an option such as --eps, --dtype or\n--fast changes a gradcheck, Opsmith ignores "expect": the gradcheck must pass.',
  ],
  runsOperators: true,
  launchesKernels: true,
  run: runGradcheck,
})
