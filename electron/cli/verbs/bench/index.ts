import type { TimingRow } from '../../../contract/timing-report'
import { ok } from '../../../contract/outcome'
import { ownCommand } from '../../../engine/installation'
import { errorsOfRequest } from '../../../engine/check/outcome-errors'
import { readSettings } from '../../../engine/project/settings-file'
import { pointText } from '../../../engine/timing/plan'
import { shardsOfTimings } from '../../../engine/timing/timing-shards'
import type { Workbench } from '../../../engine/workbench'
import { baselineLines, baselineText, compareWithBaseline, readBaseline } from './baseline'
import type { ComparedRow } from './baseline'
import { timingCsv, timingJson } from './json'
import { timingVerbOptions, readTimingOptions, selectBenchmarks } from './options'
import { timingTables, tableMarkdown, tableText, timeText, unitFor } from './table'
import { interruptSignal } from '../../interrupt'
import { buildToCheck } from '../../checked-project'
import { exitCodes } from '../../exit-codes'
import { printKernels } from './kernel-table'
import { keepBuilds } from './kept-builds'
import { machineLine } from './machine-line'
import type { OptionValues } from '../../options'
import { callerPath, printError, printJson, printLines, progress } from '../../print'
import { writeReports } from '../../report-files'
import { readSpread } from '../../shards/options'
import { spreadOver } from '../../shards/spread'
import { defineVerb, projectArgument } from '../../verb'

/** "3 of 9: aten::sigmoid, forward: 1.61 µs" */
function progressText(done: number, total: number, row: TimingRow): string {
  const place = [row.variant, row.direction, pointText(row.point)].filter((one) => one !== '')
  const unit = unitFor([row.summary?.median ?? 1])
  const time = row.summary
    ? `${timeText(row.summary.median, unit)} ${unit[0]}`
    : `no time: ${row.refused}`
  return `${done} of ${total}: ${place.join(', ')}: ${time}`
}

/** `opsmith bench`: opsmith.json's benchmarks or one operator's, as a table, and against a baseline. */
async function runTimingVerb(
  workbench: Workbench,
  named: string,
  options: OptionValues<typeof timingVerbOptions>,
): Promise<number> {
  const { json } = options
  const project = await buildToCheck(
    workbench,
    named,
    json,
    readTimingOptions(options),
    selectBenchmarks,
  )
  if (typeof project === 'number') return project
  const { folder, command, entries, manifest } = project
  const { installation } = workbench
  const settings = await readSettings(installation.configFolder)
  const spread = readSpread(options, settings, ownCommand(installation))
  if (!spread.ok) return printError(spread.error, json)
  if (spread.value) {
    const shards = shardsOfTimings(entries, manifest)
    if (!shards.ok) return printError(shards.error, json)
    const { format, failAbove } = command
    return await spreadOver(workbench, spread.value, {
      verb: 'bench',
      title: `bench ${manifest.name}`,
      project: folder,
      shards: shards.value,
      answer: {
        format,
        baseline: command.baseline === '' ? '' : callerPath(command.baseline),
        failAbove,
      },
    })
  }
  if (command.kernels) return await printKernels(workbench, folder, entries, json)
  if (command.keeping) return await keepBuilds(workbench, folder, command)
  const before = command.baseline === '' ? ok(undefined) : await readBaseline(command.baseline)
  if (!before.ok) return printError(before.error, json)
  const timed = await workbench.timings.run(
    folder,
    entries,
    { signal: interruptSignal(), measureCeilings: command.measureCeilings },
    (done, total, row) => {
      if (row) progress(progressText(done, total, row))
    },
  )
  if (!timed.ok) return printError(timed.error, json)
  const report = timed.value
  const { rows } = report
  const errors = rows.flatMap(({ error }) => (error ? [error] : []))
  const [first] = errors
  const asked = errors.every(({ code }) => code === 'request.invalid' || errorsOfRequest.has(code))
  if (first && errors.length === rows.length && asked) return printError(first, json)
  const compared = before.value
    ? compareWithBaseline(rows, before.value, command.failAbove)
    : new Map<TimingRow, ComparedRow>()
  const failed = [...compared.values()].some((one) => one.failed)
  const isGood = !failed && rows.every(({ summary }) => summary !== undefined)
  const tables = timingTables(report, entries)
  const lines = before.value
    ? ['', ...baselineLines(report, before.value, compared, command.failAbove)]
    : []
  if (command.format === 'json') printJson(timingJson(report, isGood, compared))
  else if (command.format === 'csv') printLines(timingCsv(rows))
  else if (command.format === 'markdown') {
    printLines(
      tables.flatMap((table, index) => [...(index > 0 ? [''] : []), ...tableMarkdown(table)]),
    )
    printLines([...lines, '', machineLine(report)])
  } else {
    printLines(tables.flatMap((table) => [...tableText(table), '']))
    printLines([...lines.slice(1), machineLine(report)])
  }
  if (command.format === 'csv') lines.slice(1).forEach(progress)
  const written = await writeReports([[command.saveBaseline, () => baselineText(report)]])
  if (!written.ok) return printError(written.error, false)
  if (errors.some(({ code }) => code === 'cancelled')) return exitCodes.noAnswer
  return isGood ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'bench',
  order: 10,
  description: 'build, then time the benchmarks of opsmith.json or one operator',
  argument: projectArgument,
  options: timingVerbOptions,
  notes: [
    'Without --op, this command times the benchmarks of opsmith.json. If opsmith.json has no benchmarks, this command times\nthe calls.',
    'If the result of a call of --against or --build differs from the result of the operator, the time of that call is not\nshown. If the results of all calls of --against differ, the time of the operator is not shown either. The exit code is 1\nif a time is not shown.\nWith --baseline, a row fails if the call is certainly slower than in the baseline. For this, Opsmith compares the 95 %\nintervals of both medians: the lower end of the new interval must not be more than --fail-above times the upper end of\nthe interval in the baseline.',
  ],
  runsOperators: true,
  run: runTimingVerb,
})
