import type { TimingReport, TimingRow } from '../../../contract/timing-report'
import type { ComparedRow } from './baseline'

/** The published form of a row: times in seconds; `interval` is of the ratio, `medianInterval` of the median. */
function rowJson(row: TimingRow, compared: ComparedRow | undefined): object {
  const { summary, ratio, point, error, samples: _samples, times: _times, ...rest } = row
  const { bytesPerSecond, flopsPerSecond, bytes, flops, cores, instructions, cycles, layers } = rest
  const { frequency, gpu } = rest
  return {
    op: row.op,
    variant: row.variant,
    kind: row.kind,
    direction: row.direction,
    device: row.device,
    ...point,
    ...(summary
      ? {
          median: summary.median,
          p25: summary.p25,
          p75: summary.p75,
          min: summary.min,
          max: summary.max,
          medianInterval: summary.interval,
          unit: 's',
          samples: summary.samples,
          callsPerSample: summary.callsPerSample,
        }
      : { refused: row.refused, ...(error ? { error } : {}) }),
    ...(ratio ? { ratio: ratio.ratio, interval: ratio.interval, verdict: ratio.verdict } : {}),
    ...(compared ? { baseline: compared } : {}),
    bytes,
    flops,
    bytesPerSecond,
    flopsPerSecond,
    cores,
    instructions,
    cycles,
    layers,
    ...(rest.flopsCountedIn === undefined ? {} : { flopsCountedIn: rest.flopsCountedIn }),
    ...(rest.givesViews ? { givesViews: true } : {}),
    ...(frequency ? { frequency } : {}),
    ...(gpu ? { gpu } : {}),
    warnings: row.warnings,
  }
}

export function timingJson(
  report: TimingReport,
  isGood: boolean,
  compared: ReadonlyMap<TimingRow, ComparedRow>,
  nodeOf: ReadonlyMap<TimingRow, string> = new Map(),
): object {
  const { machine, ceilings, ceilingsDoubt, devices, seconds, build } = report
  return {
    ok: isGood,
    rows: report.rows.map((row) => {
      const node = nodeOf.get(row)
      return { ...rowJson(row, compared.get(row)), ...(node === undefined ? {} : { node }) }
    }),
    machine,
    ceilings,
    ceilingsDoubt,
    devices,
    seconds,
    build,
  }
}

/** RFC 4180: quoted where a comma, a quote or a line's end is in it. */
function csvField(value: string | number | boolean | undefined): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function timingCsv(rows: readonly TimingRow[]): string[] {
  return csvOfRows(
    rows.map((row) => ({ row, more: [] })),
    [],
  )
}

/**
 * A line for each row, times in seconds; a column for each size that is swept.
 * @param names of the columns that come before all others
 */
export function csvOfRows(
  given: readonly { row: TimingRow; more: readonly string[] }[],
  names: readonly string[],
): string[] {
  const rows = given.map(({ row, more }) => ({ ...row, more }))
  const sizes = [...new Set(rows.flatMap(({ point }) => Object.keys(point.sizes)))]
  const header = [
    ...names,
    'op',
    'variant',
    'kind',
    'direction',
    'device',
    ...sizes,
    'dtype',
    'threads',
    'cold',
    'median',
    'p25',
    'p75',
    'min',
    'max',
    'low',
    'high',
    'samples',
    'ratio',
    'ratio_low',
    'ratio_high',
    'verdict',
    'bytes_per_second',
    'flops_per_second',
    'refused',
    'warnings',
  ]
  const lines = rows.map(({ point, summary, ratio, more, ...row }) => [
    ...more,
    row.op,
    row.variant,
    row.kind,
    row.direction,
    row.device,
    ...sizes.map((name) => point.sizes[name]),
    point.dtype,
    point.threads,
    point.cold,
    summary?.median,
    summary?.p25,
    summary?.p75,
    summary?.min,
    summary?.max,
    summary?.interval[0],
    summary?.interval[1],
    summary?.samples,
    ratio?.ratio,
    ratio?.interval[0],
    ratio?.interval[1],
    ratio?.verdict,
    row.bytesPerSecond,
    row.flopsPerSecond,
    row.refused,
    row.warnings.join(' '),
  ])
  return [header, ...lines].map((line) => line.map(csvField).join(','))
}
