import type { Manifest } from '../../contract/manifest'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { benchmarksOf } from '../../engine/timing/entries'
import { readManifest } from '../../engine/project/read-manifest'
import { readSettings } from '../../engine/project/settings-file'
import type { Workbench } from '../../engine/workbench'
import { machineLine } from './bench/machine-line'
import { timingTables, tableText } from './bench/table'
import { buildAloud, loadTimeout } from '../building'
import { checkLines, checkSummary } from './check/text'
import { exitCodes } from '../exit-codes'
import { outcomeLines, summaryLine } from './gradcheck/text'
import { defaultGraphOptions } from './graph/options'
import { allNodes, describeTaken } from './graph/output'
import { graphOfProject } from './graph/source'
import { describeDiagnostic, describeError, printError, printLines } from '../print'
import { makeCalls, printCall } from './run'
import { printSchemas } from './schemas'
import { jsonFlag } from '../options'
import type { OptionValues } from '../options'
import { defineVerb, projectArgument } from '../verb'

/** The first program function that opsmith.json calls: its script graph, and what a trace of it keeps. */
async function describeFirstGraph(
  workbench: Workbench,
  project: string,
  manifest: Manifest,
): Promise<string[]> {
  const script = await graphOfProject(workbench, project, manifest, defaultGraphOptions)
  if (!script.ok) return [describeError(script.error)]
  const custom = allNodes(script.value.graph).filter((node) => node.custom === true)
  // Objects of a torch::class_ are made and called by libtorch's own nodes.
  const kinds = [...new Set(custom.map((node) => node.kind))].filter(
    (kind) => !kind.startsWith('prim::'),
  )
  const lines = describeTaken(script.value)
  lines.push(kinds.length > 0 ? `  custom operators: ${kinds.join(', ')}` : '  no custom operators')
  const { name } = script.value.graph
  if (!manifest.calls.some((call) => call.op === name)) return lines
  const options = { ...defaultGraphOptions, entry: name, form: 'trace' as const }
  const trace = await graphOfProject(workbench, project, manifest, options)
  return [...lines, ...(trace.ok ? describeTaken(trace.value) : [describeError(trace.error)])]
}

/** opsmith.json's gradchecks; whether all are as expected. */
async function makeGradchecks(
  workbench: Workbench,
  project: string,
  manifest: Manifest,
): Promise<Result<boolean>> {
  if (manifest.gradchecks.length === 0) {
    process.stdout.write('opsmith.json has no gradchecks, so none ran.\n')
    return ok(true)
  }
  const settings = await readSettings(workbench.installation.configFolder)
  const limits = { timeout: settings.callTimeout }
  const outcomes = await workbench.gradchecks.runAll(project, limits, {
    onOutcome: (outcome) => {
      for (const line of outcomeLines(outcome)) process.stdout.write(`${line}\n`)
    },
  })
  if (!outcomes.ok) return outcomes
  process.stdout.write(`\n${summaryLine(outcomes.value)}\n`)
  return ok(outcomes.value.every((outcome) => outcome.asExpected))
}

/** Operator checks of what the project has; whether all are as expected. */
async function makeChecks(workbench: Workbench, project: string): Promise<Result<boolean>> {
  const outcomes = await workbench.operatorChecks.runAll(
    project,
    { timeout: 0 },
    {
      onProgress: (_done, _total, outcome) => {
        if (outcome) printLines(checkLines(outcome, project))
      },
    },
  )
  if (!outcomes.ok) return outcomes
  printLines(['', checkSummary(outcomes.value)])
  return ok(outcomes.value.every((outcome) => outcome.asExpected))
}

/** Seconds of samples for each row: a first impression. */
const reportSeconds = 0.1

/** Times the benchmarks of the project; whether all have a time. */
async function makeTimings(
  workbench: Workbench,
  project: string,
  manifest: Manifest,
): Promise<Result<boolean>> {
  const requests = benchmarksOf(manifest).map((one) => ({ ...one, seconds: reportSeconds }))
  const report = await workbench.timings.run(project, requests, {})
  if (!report.ok) return report
  const tables = timingTables(report.value, requests)
  printLines(tables.flatMap((table) => [...tableText(table), '']))
  printLines([machineLine(report.value)])
  return ok(report.value.rows.every(({ summary }) => summary !== undefined))
}

const verbOptions = { json: jsonFlag }

/** All that exists so far, on one project, for people: what `npm start -- --headless` prints. */
async function runReportCommand(
  workbench: Workbench,
  project: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  const heading = (text: string): void => {
    process.stdout.write(`\n${text}\n${'-'.repeat(text.length)}\n`)
  }
  const manifest = await readManifest(project)
  if (!manifest.ok) return printError(manifest.error, options.json)
  process.stdout.write(`${manifest.value.name}: ${manifest.value.description ?? project}\n`)

  heading('Build')
  const build = await buildAloud(workbench, project)
  if (!build.ok) return printError(build.error, options.json)
  const { value } = build
  if (!value.ok) {
    for (const diagnostic of value.diagnostics)
      process.stdout.write(`${describeDiagnostic(diagnostic)}\n`)
    process.stdout.write('The build failed.\n')
    return exitCodes.failed
  }
  process.stdout.write(
    `${value.library}\n${value.addon}\nin ${value.seconds.toFixed(2)} s, ${value.compiler}, libtorch ${value.libtorch}\n`,
  )

  heading('Schemas')
  const load = await workbench.libraries.load(project, { timeout: loadTimeout })
  if (!load.ok) return printError(load.error, options.json)
  printSchemas(load.value)

  heading('Program')
  const functions = await workbench.runs.programFunctions(project)
  if (!functions.ok) return printError(functions.error, options.json)
  for (const item of functions.value) process.stdout.write(`${item.schema}\n`)
  if (functions.value.length === 0)
    process.stdout.write('The project has no TorchScript program.\n')

  if (functions.value.length > 0) {
    heading('Graph')
    for (const line of await describeFirstGraph(workbench, project, manifest.value))
      process.stdout.write(`${line}\n`)
  }

  heading('Run')
  const outcomes = await makeCalls(workbench, project, manifest.value)
  outcomes.forEach(printCall)
  const bad = outcomes.filter((outcome) => !outcome.ok).length
  process.stdout.write(`\n${outcomes.length - bad} of ${outcomes.length} calls passed.\n`)

  heading('Gradcheck')
  const checks = await makeGradchecks(workbench, project, manifest.value)
  if (!checks.ok) return printError(checks.error, options.json)

  heading('Operator checks')
  const operators = await makeChecks(workbench, project)
  if (!operators.ok) return printError(operators.error, options.json)

  heading('Timings')
  const timings = await makeTimings(workbench, project, manifest.value)
  if (!timings.ok) return printError(timings.error, options.json)
  const good = bad === 0 && checks.value && operators.value && timings.value
  return good ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'report',
  order: 14,
  description: 'build, and print one readable report: schemas, graph, calls, checks and timings',
  argument: projectArgument,
  options: verbOptions,
  runsOperators: true,
  run: runReportCommand,
})
