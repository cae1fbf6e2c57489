import type { BenchReport, BenchRow } from '../contract/bench-report'
import { ok } from '../contract/outcome'
import { errorsOfRequest } from '../engine/check/outcome-errors'
import type { Workbench } from '../engine/workbench'
import { baselineLines, baselineText, compareWithBaseline, readBaseline } from './bench-baseline'
import type { ComparedRow } from './bench-baseline'
import { benchCsv, benchJson } from './bench-json'
import { readBenchOptions, selectBenchmarks } from './bench-options'
import type { GivenBenchOptions } from './bench-options'
import { benchTables, pointText, tableMarkdown, tableText, timeText, unitFor } from './bench-table'
import { interruptSignal } from './build-command'
import { buildToCheck } from './checked-project'
import { exitCodes } from './exit-codes'
import { printKernels } from './kernel-table'
import { keepBuilds } from './kept-builds'
import { printError, printJson, printLines, progress } from './print'
import { writeReports } from './report-files'

/** "3 of 9: aten::sigmoid, forward: 1.61 µs" */
function progressText(done: number, total: number, row: BenchRow): string {
  const place = [row.variant, row.direction, pointText(row.point)].filter((one) => one !== '')
  const unit = unitFor([row.summary?.median ?? 1])
  const time = row.summary
    ? `${timeText(row.summary.median, unit)} ${unit[0]}`
    : `no time: ${row.refused}`
  return `${done} of ${total}: ${place.join(', ')}: ${time}`
}

/** What every machine's numbers need beside them. */
export function machineLine({ machine, seconds, ceilings, ceilingsDoubt }: BenchReport): string {
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
export async function runBench(
  workbench: Workbench,
  named: string,
  given: GivenBenchOptions,
): Promise<number> {
  const json = given.json ?? false
  const project = await buildToCheck(
    workbench,
    named,
    json,
    readBenchOptions(given),
    selectBenchmarks,
  )
  if (typeof project === 'number') return project
  const { folder, command, entries } = project
  if (command.kernels) return await printKernels(workbench, folder, entries, json)
  if (command.keeping) return await keepBuilds(workbench, folder, command)
  const before = command.baseline === '' ? ok(undefined) : await readBaseline(command.baseline)
  if (!before.ok) return printError(before.error, json)
  const timed = await workbench.benchmarks.run(
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
    : new Map<BenchRow, ComparedRow>()
  const failed = [...compared.values()].some((one) => one.failed)
  const isGood = !failed && rows.every(({ summary }) => summary !== undefined)
  const tables = benchTables(report, entries)
  const lines = before.value
    ? ['', ...baselineLines(report, before.value, compared, command.failAbove)]
    : []
  if (command.format === 'json') printJson(benchJson(report, isGood, compared))
  else if (command.format === 'csv') printLines(benchCsv(rows))
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
