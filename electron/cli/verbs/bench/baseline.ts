import fs from 'node:fs/promises'

import { z } from 'zod'

import { timingPoint } from '../../../contract/timing-report'
import type { TimingReport, TimingRow } from '../../../contract/timing-report'
import { timingDirection } from '../../../contract/timing-names'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { ioError } from '../../../engine/project/files'
import { callerPath } from '../../print'

const baselineRow = z.object({
  op: z.string(),
  kind: z.string(),
  variant: z.string(),
  direction: timingDirection,
  device: z.string(),
  point: timingPoint,
  /** Seconds. */
  median: z.number().positive(),
  interval: z.tuple([z.number().positive(), z.number().positive()]),
})
const baseline = z.object({
  opsmithBaseline: z.literal(1),
  processor: z.string(),
  rows: z.array(baselineRow),
})
export type Baseline = z.infer<typeof baseline>

export interface ComparedRow {
  median: number
  ratio: number
  /** From the ends of both medians' 95 % intervals that are furthest from each other. */
  interval: [number, number]
  failed: boolean
}

function keyOf(row: Omit<z.infer<typeof baselineRow>, 'median' | 'interval'>): string {
  const { sizes, dtype, threads, cold } = row.point
  const point = [Object.entries(sizes).sort(), dtype, threads, cold]
  return JSON.stringify([row.op, row.kind, row.variant, row.direction, row.device, point])
}

/** What `--save-baseline` writes: rows with a time, but builds, which are others each time. */
export function baselineText({ rows, machine }: Pick<TimingReport, 'rows' | 'machine'>): string {
  const kept = rows.flatMap(({ op, kind, variant, direction, device, point, summary }) =>
    summary && kind !== 'build'
      ? [
          {
            op,
            kind,
            variant,
            direction,
            device,
            point,
            median: summary.median,
            interval: summary.interval,
          },
        ]
      : [],
  )
  const written: Baseline = { opsmithBaseline: 1, processor: machine.processor, rows: kept }
  return `${JSON.stringify(written, undefined, 2)}\n`
}

export async function readBaseline(name: string): Promise<Result<Baseline>> {
  const file = callerPath(name)
  let text: string
  try {
    // Reading a named pipe would wait for a writer.
    if (!(await fs.stat(file)).isFile()) return err('io', `${file} is not a regular file.`)
    text = await fs.readFile(file, 'utf8')
  } catch (error) {
    return ioError(error, `read ${file}`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const parsed = baseline.safeParse(value)
  return parsed.success
    ? ok(parsed.data)
    : err('request.invalid', '--baseline: this file is not a baseline of opsmith bench.', {
        hint: 'Make a baseline with --save-baseline FILE.',
        file,
      })
}

/**
 * Each row that the baseline has, next to it. A row fails only when it is slower for sure: the lower
 * end of its median's 95 % interval is more than `failAbove` times the upper end of the baseline's. So a
 * noisy row does not fail by chance; more seconds make the intervals narrower, and the test sharper.
 */
export function compareWithBaseline(
  rows: readonly TimingRow[],
  before: Baseline,
  failAbove: number,
): Map<TimingRow, ComparedRow> {
  const known = new Map(before.rows.map((row) => [keyOf(row), row]))
  const compared = new Map<TimingRow, ComparedRow>()
  for (const row of rows) {
    const then = known.get(keyOf(row))
    if (!then || !row.summary) continue
    const [low, high] = row.summary.interval
    const interval: [number, number] = [low / then.interval[1], high / then.interval[0]]
    compared.set(row, {
      median: then.median,
      ratio: row.summary.median / then.median,
      interval,
      failed: interval[0] > failAbove,
    })
  }
  return compared
}

/** Lines for people: what failed, what is new, and whether it was this machine. */
export function baselineLines(
  report: Pick<TimingReport, 'rows' | 'machine'>,
  before: Baseline,
  compared: ReadonlyMap<TimingRow, ComparedRow>,
  failAbove: number,
): string[] {
  const named = (row: TimingRow): string => `${row.variant}, ${row.direction}`
  const lines = [...compared].map(([row, { ratio, interval, failed }]) => {
    const range = interval.map((end) => end.toPrecision(3)).join(' to ')
    const verdict = failed ? `FAILED, the whole range is above ${failAbove}` : 'ok'
    return `${named(row)}: ${ratio.toPrecision(3)} times the baseline's time (range ${range}): ${verdict}`
  })
  const missing = report.rows.filter((row) => row.kind !== 'build' && !compared.has(row))
  return [
    ...lines,
    ...missing.map((row) =>
      row.summary
        ? `${named(row)}: not in the baseline`
        : `${named(row)}: there is no time, so the row is not compared with the baseline`,
    ),
    ...(before.processor === report.machine.processor
      ? []
      : [
          `warning: The baseline was made on another processor (${before.processor}). Make a new baseline on this processor (${report.machine.processor}): --save-baseline FILE.`,
        ]),
  ]
}
