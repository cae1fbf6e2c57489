import type { MachineCeilings, MachineFacts } from '../../contract/bench'
import type { BenchDirection } from '../../contract/bench-names'
import type { BenchPoint, BenchRow } from '../../contract/bench-report'
import type { WorkbenchError } from '../../contract/outcome'
import type { PlannedPoint, Variant } from './bench-plan'
import { leastSeconds } from './hardware-limits'
import { noiseWarnings } from './noise'
import { pairedRatio, summarise } from './statistics'
import type { Outcome } from './time-group'

/** Samples of a row that a report has in it; more are thinned evenly. */
const mostSamples = 5000

export function emptyRow(
  entry: number,
  op: string,
  variant: Pick<Variant, 'kind' | 'label'>,
  direction: BenchDirection,
  point: BenchPoint,
): BenchRow {
  return {
    ...{ entry, op, kind: variant.kind, variant: variant.label, direction, device: 'cpu', point },
    ...{ refused: '', warnings: [], samples: [], times: [] },
  }
}

/** Stands for a benchmark that could not be planned. */
export function errorRow(entry: number, op: string, error: WorkbenchError): BenchRow {
  const point = { sizes: {}, dtype: '', threads: 1, cold: false }
  const row = emptyRow(entry, op, { kind: 'operator', label: op }, 'forward', point)
  return { ...row, refused: error.message, error }
}

function thinned(values: readonly number[]): number[] {
  const step = Math.ceil(values.length / mostSamples)
  return step <= 1 ? [...values] : values.filter((_, index) => index % step === 0)
}

const engineering = (seconds: number): string => `${seconds.toExponential(2)} s`

/** The row without speed where its time is none that this machine can keep to. */
function judged(
  row: BenchRow,
  planned: PlannedPoint,
  machine: MachineFacts,
  ceilings: MachineCeilings | undefined,
): BenchRow {
  const { summary, point, bytes, flops } = row
  if (!summary || row.direction !== 'forward') return row
  const declared = { bytes: planned.bytes, flops: planned.flops }
  const least = leastSeconds(declared, point, machine, ceilings)
  if (summary.median < least) {
    const { summary: _shown, layers: _layers, ...rest } = row
    return {
      ...rest,
      refused: `its time, ${engineering(summary.median)}, is shorter than this machine needs for the bytes or operations that are declared (${engineering(least)}): it does less than that, or does it elsewhere`,
      ...{ samples: [], times: [] },
    }
  }
  const counted = leastSeconds({ bytes }, point, machine, ceilings)
  // Views, gathers and fills leave most of their bytes alone: that is no lie.
  const believed = summary.median >= counted
  return {
    ...row,
    ...(bytes !== undefined && believed ? { bytesPerSecond: bytes / summary.median } : {}),
    ...(flops === undefined ? {} : { flopsPerSecond: flops / summary.median }),
    warnings: believed
      ? row.warnings
      : [
          ...row.warnings,
          'It is faster than its inputs and outputs can be moved, so it does not touch all of them: declare "bytes" to see its bandwidth.',
        ],
  }
}

function timedRow(
  base: BenchRow,
  outcome: Outcome,
  planned: PlannedPoint,
  machine: MachineFacts,
  ceilings: MachineCeilings | undefined,
): BenchRow {
  const { taken, opened, layers } = outcome
  if (outcome.error) return { ...base, refused: outcome.error.message, error: outcome.error }
  if (outcome.refused !== '' || !taken || !opened)
    return { ...base, refused: outcome.refused, warnings: outcome.warnings }
  const summary = summarise(taken.rounds)
  const samples = taken.rounds.flat()
  const { bytes = opened.bytes, flops } = planned
  const { used, instructions, cycles } = taken
  const row: BenchRow = {
    ...base,
    summary: { ...summary, samples: samples.length, callsPerSample: opened.callsPerSample },
    ...(base.direction === 'forward' ? { bytes, ...(flops === undefined ? {} : { flops }) } : {}),
    cores: used.processSeconds / used.wallSeconds,
    ...(instructions === undefined ? {} : { instructions }),
    ...(cycles === undefined ? {} : { cycles }),
    ...(layers ? { layers } : {}),
    warnings: [
      ...outcome.warnings,
      ...noiseWarnings(taken.rounds, summary, used, base.point, machine),
    ],
    samples: thinned(samples),
    times: thinned(taken.times),
  }
  return judged(row, planned, machine, ceilings)
}

/** Rows of one group; `bases` and `outcomes` belong to the same variants, the benchmark's own call first. */
export function rowsOf(
  bases: readonly BenchRow[],
  outcomes: readonly Outcome[],
  planned: PlannedPoint,
  { machine, ceilings }: { machine: MachineFacts; ceilings?: MachineCeilings },
): BenchRow[] {
  const rows = bases.flatMap((base, place) => {
    const outcome = outcomes[place]
    return outcome ? [timedRow(base, outcome, planned, machine, ceilings)] : []
  })
  const own = rows[0]?.summary ? outcomes[0]?.taken : undefined
  return rows.map((row, place) => {
    const taken = outcomes[place]?.taken
    if (place === 0 || !own || !row.summary || !taken) return row
    return { ...row, ratio: pairedRatio(taken.rounds, own.rounds) }
  })
}
