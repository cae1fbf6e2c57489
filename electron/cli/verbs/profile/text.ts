import path from 'node:path'

import type { ProfileMemory, ProfileReport, ProfileTotal } from '../../../contract/profile'
import { shortName, timeText, unitFor } from '../bench/table'

/** "12 B", "3.4 MB": powers of 1000. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${units[power] ?? ''}`
}

function placeText(folder: string, { file, line, places }: ProfileTotal): string {
  if (file === '') return ''
  const more = places > 1 ? ` and ${places - 1} more` : ''
  return `${path.relative(folder, file)}:${line}${more}`
}

/** Columns as wide as what stands in them; the first and the last to the left, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 || column === row.length - 1
          ? text.padEnd(widths[column] ?? 0)
          : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

/** Of each, how much is shown before the rest is counted: a terminal is not a place for 300 operators. */
const mostRows = 30
const mostHolders = 5

function memoryLines(folder: string, memory: ProfileMemory): string[] {
  const { device, peak, peakTime, end, holders } = memory
  const at = unitFor([peakTime / 1e9])
  const held = holders.slice(0, mostHolders).map(({ bytes, blocks, name, file, line }) => {
    const place = file === '' ? '' : `, ${path.relative(folder, file)}:${line}`
    const many = blocks === 1 ? '' : ` (${blocks} blocks)`
    return `  ${bytesText(bytes)}${many} ${name === '' ? 'outside of all operators' : name}${place}`
  })
  const rest = holders.length - held.length
  return [
    `Memory of ${device}, without the arguments: peak ${bytesText(peak)}, ${timeText(peakTime / 1e9, at)} ${at[0]} after the start; ${bytesText(end)} at the end. In use at the peak, with the operator that allocated it:`,
    ...held,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ]
}

/** What was profiled, and how far the profiler itself slowed it down. */
export function summaryLines(report: ProfileReport): string[] {
  const { trace, total, backward } = report
  const seconds = [total / 1e9, trace.plainTime / 1e9]
  const unit = unitFor([Math.min(...seconds)])
  const time = (value: number | undefined): string => timeText(value ?? 0, unit)
  const threads = `${trace.threads} thread${trace.threads === 1 ? '' : 's'}`
  const runs = trace.runs.length === 1 ? 'one run' : `the median of ${trace.runs.length} runs`
  return [
    `${trace.op}, ${backward ? 'forward and backward' : 'forward'}, ${threads}`,
    `${time(seconds[0])} ${unit[0]}: ${runs}; without the profiler ${time(seconds[1])} ${unit[0]}`,
    ...(trace.deviceMissing === ''
      ? []
      : [`The profiler saw no GPU kernels: ${trace.deviceMissing}.`]),
    ...(trace.cutEvents > 0
      ? [
          `The profile contains only the first ${trace.events.name.length} events; ${trace.cutEvents} later events were not recorded.`,
        ]
      : []),
    ...(trace.cutAllocations > 0
      ? [
          `The memory timeline does not contain ${trace.cutAllocations} allocations, because the profile was too long.`,
        ]
      : []),
  ]
}

/** The report as a terminal shows it: operators by own time, and memory. */
export function profileText(report: ProfileReport, folder: string): string[] {
  const { operators } = report
  const unit = unitFor(operators.slice(0, mostRows).map(({ total }) => total / 1e9))
  const time = (ns: number): string => timeText(ns / 1e9, unit)
  const rows = operators
    .slice(0, mostRows)
    .map((row) => [
      shortName(row.name),
      String(row.calls),
      time(row.total),
      time(row.self),
      `${(100 * row.share).toFixed(1)} %`,
      row.allocated === 0 ? '' : bytesText(row.allocated),
      placeText(folder, row),
    ])
  const header = [
    '',
    'calls',
    `total [${unit[0]}]`,
    `self [${unit[0]}]`,
    'self share',
    'memory',
    'called at',
  ]
  const left = operators.length - rows.length
  return [
    ...summaryLines(report),
    '',
    ...aligned([header, ...rows]),
    ...(left > 0 ? [`and ${left} more`] : []),
    '',
    ...report.memory.flatMap((memory) => memoryLines(folder, memory)),
    ...(report.memory.length === 0 ? ['The call allocates no memory.'] : []),
  ]
}

/** The published form; times in seconds. Single events are in the trace file. */
export function profileJson(report: ProfileReport): object {
  const { trace, memory, backward } = report
  const seconds = (total: ProfileTotal): object => ({
    ...total,
    total: total.total / 1e9,
    self: total.self / 1e9,
  })
  return {
    ok: true,
    op: trace.op,
    backward,
    threads: trace.threads,
    seconds: report.total / 1e9,
    runs: trace.runs.map((ns) => ns / 1e9),
    chosen: trace.chosen,
    secondsWithoutProfiler: trace.plainTime / 1e9,
    events: trace.events.name.length,
    cutEvents: trace.cutEvents,
    cutAllocations: trace.cutAllocations,
    operators: report.operators.map(seconds),
    lines: report.lines.map(seconds),
    memory: memory.map(({ device, peak, peakTime, end, holders }) => ({
      device,
      peak,
      peakTime: peakTime / 1e9,
      end,
      holders: holders.map(({ event: _event, ...holder }) => holder),
    })),
    inputBytes: trace.inputBytes,
    resultBytes: trace.resultBytes,
  }
}
