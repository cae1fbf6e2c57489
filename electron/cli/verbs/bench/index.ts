import type { TimingReport, TimingRow } from '../../../contract/timing-report'
import { ok } from '../../../contract/outcome'
import { errorsOfRequest } from '../../../engine/check/outcome-errors'
import type { Workbench } from '../../../engine/workbench'
import { baselineLines, baselineText, compareWithBaseline, readBaseline } from './baseline'
import type { ComparedRow } from './baseline'
import { timingCsv, timingJson } from './json'
import { timingVerbOptions, readTimingOptions, selectBenchmarks } from './options'
import { timingTables, pointText, tableMarkdown, tableText, timeText, unitFor } from './table'
import { interruptSignal } from '../../interrupt'
import { buildToCheck } from '../../checked-project'
import { exitCodes } from '../../exit-codes'
import { printKernels } from './kernel-table'
import { keepBuilds } from './kept-builds'
import type { OptionValues } from '../../options'
import { printError, printJson, printLines, progress } from '../../print'
import { writeReports } from '../../report-files'
import { defineVerb, projectArgument } from '../../verb'

/** "3 of 9: aten::sigmoid, forward: 1.61 µs" */
function progressText(done: number, total: number, row: TimingRow): string {
  const place = [row.variant, row.direction, pointText(row.point)].filter((one) => one !== '')
  const unit = unitFor([row.summary?.median ?? 1])
  const time = row.summary
    ? `${timeText(row.summary.median, unit)} ${unit[0]}`
    : `time not shown: ${row.refused}`
  return `${done} of ${total}: ${place.join(', ')}: ${time}`
}

/** What every machine's numbers need next to them. */
export function machineLine({ machine, seconds, ceilings, ceilingsDoubt }: TimingReport): string {
  const copies = ceilings
    ? `; a large copy moves ${(ceilings.bytesPerSecond / 1e9).toPrecision(3)} GB/s with ${ceilings.threads} thread${ceilings.threads === 1 ? '' : 's'}`
    : ''
  const parts = [
    `On ${machine.processor}, ${machine.cores} cores${copies}.`,
    ...(ceilingsDoubt === '' ? [] : [ceilingsDoubt]),
    ...(machine.countersMissing === ''
      ? []
      : [`Instructions and cycles are not counted: ${machine.countersMissing}.`]),
    `${seconds.toFixed(1)} s.`,
  ]
  return parts.join(' ')
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
  const { folder, command, entries } = project
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
  description: 'build, and time the benchmarks of opsmith.json, or one operator',
  argument: projectArgument,
  options: timingVerbOptions,
  notes: [
    'Without --op it times the benchmarks of opsmith.json. If there are none, it times the calls of opsmith.json.',
    "If the result of a call of --against or --build differs from the operator's result, the time of that call is not shown.\nIf the results of all calls of --against differ, the operator's time is not shown either. The exit code is 1 if a time\nis not shown.\nWith --baseline, a row fails if it is certainly slower: the lower end of its median's 95 % interval is more than\n--fail-above times the upper end of the baseline's interval.",
  ],
  runsOperators: true,
  run: runTimingVerb,
})
