import type { MachineCeilings, MachineFacts } from '../../contract/timing'
import type { TimingDirection } from '../../contract/timing-names'
import type { TimingPoint, TimingRow } from '../../contract/timing-report'
import type { WorkbenchError } from '../../contract/outcome'
import { isNarrow } from './plan'
import type { PlannedPoint, Variant } from './plan'
import { deviceWarnings, leastSecondsOn } from './device-noise'
import type { DeviceWork } from './device-noise'
import { leastSeconds } from './hardware-limits'
import { clockRange, noiseWarnings } from './noise'
import { stepOf } from './take-samples'
import { median, pairedRatio, quantile, sortedNumbers, summarise } from './statistics'
import type { VariantOutcome } from './time-group'
import type { TimedDevice } from './timed-devices'

/** Samples of a row that a report has in it; more are thinned evenly. */
const mostSamples = 5000

/** What is timed in a row. */
interface RowSubject {
  /** Its benchmark's place among all. */
  entry: number
  op: string
  variant: Pick<Variant, 'kind' | 'label'>
  direction: TimingDirection
  point: TimingPoint
  device: string
}

export function emptyRow({ variant, ...subject }: RowSubject): TimingRow {
  return {
    ...subject,
    kind: variant.kind,
    variant: variant.label,
    refused: '',
    warnings: [],
    samples: [],
    times: [],
  }
}

/** Stands for a benchmark that could not be planned. */
export function errorRow(entry: number, op: string, error: WorkbenchError): TimingRow {
  const point = { sizes: {}, dtype: '', threads: 1, cold: false }
  const variant = { kind: 'operator' as const, label: op }
  const row = emptyRow({ entry, op, variant, direction: 'forward', point, device: 'cpu' })
  return { ...row, refused: error.message, error }
}

function thinned(values: readonly number[]): number[] {
  const step = Math.ceil(values.length / mostSamples)
  return step <= 1 ? [...values] : values.filter((_, index) => index % step === 0)
}

const engineering = (seconds: number): string => `${seconds.toExponential(2)} s`

/** What times are compared with. */
interface Limits {
  machine: MachineFacts
  ceilings?: MachineCeilings
  devices: readonly TimedDevice[]
  /** What is no CPU here is the virtual GPU. */
  virtualGpu: boolean
  /** Op hosts of other builds. */
  beside: ReadonlyMap<string, unknown>
}

function leastTime(
  work: DeviceWork,
  { device, point }: TimingRow,
  { machine, ceilings, devices }: Limits,
): number {
  if (device === 'cpu') return leastSeconds(work, point, machine, ceilings)
  const known = devices.find((one) => one.device === device)
  return known?.ceilings ? leastSecondsOn(work, point.cold, known, known.ceilings) : 0
}

/** Launch, replay and state of a device; nothing on the CPU. */
function gpuPart({ taken, replay }: VariantOutcome): Pick<TimingRow, 'gpu'> {
  const rounds = taken?.device ?? []
  const [first] = rounds
  const last = rounds.at(-1)
  if (!first || !last) return {}
  const sorted = sortedNumbers(replay?.seconds ?? [])
  const at = (fraction: number): number => quantile(sorted, fraction)
  return {
    gpu: {
      launch: median(rounds.map(({ launch }) => launch)),
      ...(sorted.length > 0 ? { replay: { median: at(0.5), p25: at(0.25), p75: at(0.75) } } : {}),
      noReplay: replay?.missing ?? '',
      before: first.before,
      after: last.after,
    },
  }
}

/** No time of a graph either that its device cannot keep to. */
function judgedReplay({ gpu, device }: TimingRow, least: number): Pick<TimingRow, 'gpu'> {
  if (!gpu) return {}
  if (!gpu.replay || gpu.replay.median >= least) return { gpu }
  const { replay, ...rest } = gpu
  const noReplay = `the measured time (${engineering(replay.median)}) is impossibly short: ${device} needs at least ${engineering(least)} for the declared bytes or operations; check the declared "bytes" and "flops"`
  return { gpu: { ...rest, noReplay } }
}

/** The row without speed where its time is none that this machine can keep to. */
function judged(row: TimingRow, planned: PlannedPoint, limits: Limits): TimingRow {
  const { summary, bytes, flops } = row
  if (!summary || row.direction !== 'forward') return row
  const leastFor = (work: DeviceWork): number =>
    leastTime({ ...work, isNarrow: isNarrow(planned) }, row, limits)
  const least = leastFor({ bytes: planned.bytes, flops: planned.flops })
  if (summary.median < least) {
    const { summary: _shown, layers: _layers, ...rest } = row
    return {
      ...rest,
      refused: `the measured time (${engineering(summary.median)}) is impossibly short: ${row.device === 'cpu' ? 'this machine' : row.device} needs at least ${engineering(least)} for the declared bytes or operations; the call does less work than declared, or works on another device or thread`,
      samples: [],
      times: [],
    }
  }
  // Views, gathers and fills leave most of their bytes alone, and there are ways to make a convolution of fewer
  // operations: these are no lies.
  const believesBytes = summary.median >= leastFor({ bytes })
  const believesFlops = summary.median >= leastFor({ flops })
  return {
    ...row,
    ...judgedReplay(row, least),
    ...(bytes !== undefined && believesBytes ? { bytesPerSecond: bytes / summary.median } : {}),
    ...(flops !== undefined && believesFlops ? { flopsPerSecond: flops / summary.median } : {}),
    warnings: [
      ...row.warnings,
      ...(believesBytes
        ? []
        : [
            'The call takes less time than this machine needs to move all bytes of the inputs and outputs, so the call does not use all of these bytes. Declare "bytes" to see the bandwidth.',
          ]),
      ...(believesFlops
        ? []
        : [
            'The call takes less time than this machine needs for the counted operations. Declare the correct count as "flops" to see the FLOP/s.',
          ]),
    ],
  }
}

/** Of a forward, as its row has it. */
type Work = Pick<TimingRow, 'flops' | 'flopsCountedIn'>

/**
 * By the entry's formula, else of an expression: libtorch makes all of it, where kernels of one's own may
 * hide theirs. All variants of a group have equal results, and so the same work to do.
 */
function workOf(
  bases: readonly TimingRow[],
  outcomes: readonly VariantOutcome[],
  planned: PlannedPoint,
): Work {
  if (planned.flops !== undefined) return { flops: planned.flops }
  const seen = bases.flatMap(({ kind, variant }, place) => {
    const { opened, error, refused = '' } = outcomes[place] ?? {}
    const isGood = opened && opened.flops > 0 && !error && refused === ''
    return isGood ? [{ kind, work: { flops: opened.flops, flopsCountedIn: variant } }] : []
  })
  return (seen.find(({ kind }) => kind === 'expression') ?? seen[0])?.work ?? {}
}

/** Of a call that works on a device though its inputs are on the CPU. */
const onDeviceInside = (device: string): string =>
  `The inputs are on the CPU, but the call computes on ${device}: the time is measured on ${device}.`

const timesOfVirtualGpu =
  'These are times of the virtual GPU, which runs on the CPU. These times say nothing about the speed of a GPU.'

function timedRow(
  asked: TimingRow,
  outcome: VariantOutcome,
  { planned, work, limits }: { planned: PlannedPoint; work: Work; limits: Limits },
): TimingRow {
  const { taken, opened, layers } = outcome
  if (outcome.error) return { ...asked, refused: outcome.error.message, error: outcome.error }
  if (outcome.refused !== '' || !taken || !opened)
    return { ...asked, refused: outcome.refused, warnings: outcome.warnings }
  const isInside = asked.device === 'cpu' && opened.device !== 'cpu'
  const base = isInside ? { ...asked, device: opened.device } : asked
  const known = limits.devices.find(({ device }) => device === base.device)
  const isVirtual = limits.virtualGpu && base.device !== 'cpu'
  const summary = summarise(taken.rounds, stepOf(opened))
  const samples = taken.rounds.flat()
  const { bytes = opened.givesViews ? undefined : opened.bytes } = planned
  const { used, instructions, cycles } = taken
  const frequency = base.device === 'cpu' ? clockRange(taken.frequencies) : undefined
  const row: TimingRow = {
    ...base,
    summary: { ...summary, samples: samples.length, callsPerSample: opened.callsPerSample },
    ...(base.direction === 'forward' && bytes !== undefined ? { bytes } : {}),
    ...(base.direction === 'forward' ? work : {}),
    ...(base.direction === 'forward' && opened.givesViews ? { givesViews: true } : {}),
    ...(base.device === 'cpu' ? { cores: used.processSeconds / used.wallSeconds } : {}),
    ...(isVirtual ? {} : gpuPart(outcome)),
    ...(instructions === undefined ? {} : { instructions }),
    ...(cycles === undefined ? {} : { cycles }),
    ...(frequency ? { frequency } : {}),
    ...(layers ? { layers } : {}),
    warnings: [
      ...(isVirtual ? [timesOfVirtualGpu] : []),
      ...outcome.warnings,
      ...(isInside ? [onDeviceInside(opened.device)] : []),
      ...noiseWarnings(taken, summary, base, {
        ...limits.machine,
        betweenEvents: opened.betweenEvents,
      }),
      ...(isVirtual ? [] : deviceWarnings(taken.device)),
      ...(known && known.ceilingsMissing !== ''
        ? [
            `Opsmith does not compare the times with the memory bandwidth and FLOP/s of ${base.device}: ${known.ceilingsMissing}. The next timing measures these limits again.`,
          ]
        : []),
    ],
    samples: thinned(samples),
    times: thinned(taken.times),
  }
  return judged(row, planned, limits)
}

/** Rows of one group; `bases` and `outcomes` belong to the same variants, the benchmark's own call first. */
export function rowsOf(
  bases: readonly TimingRow[],
  outcomes: readonly VariantOutcome[],
  planned: PlannedPoint,
  limits: Limits,
): TimingRow[] {
  const work = workOf(bases, outcomes, planned)
  const rows = bases.flatMap((base, place) => {
    const outcome = outcomes[place]
    return outcome ? [timedRow(base, outcome, { planned, work, limits })] : []
  })
  const own = rows[0]?.summary ? outcomes[0]?.taken : undefined
  return rows.map((row, place) => {
    const taken = outcomes[place]?.taken
    if (place === 0 || !own || !row.summary || !taken) return row
    const opened = outcomes[0]?.opened
    return { ...row, ratio: pairedRatio(taken.rounds, own.rounds, opened ? stepOf(opened) : 0) }
  })
}
