import type { TimingLayers, OpenedTiming, TimedCall } from '../../contract/timing'
import type { DeviceSamples, ReplayedTiming } from '../../contract/timing-device'
import type { WorkbenchError } from '../../contract/outcome'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { HostInput, HostOutput } from '../../contract/host-calls'
import type { HostClient } from '../host/host-client'
import { addUsed } from './noise'
import type { Used } from './noise'
import { median, medianInterval } from './statistics'

/** Rounds below which an interval means little. */
const fewestRounds = 9
/** Of calls that take seconds each, this many have to do. */
const fewestSlowRounds = 3
/** Half of an interval's width over the median; wider ones get up to twice the seconds. */
const narrowEnough = 0.01
/** Rounds into which the seconds of a row are split, if its calls are short enough. */
const wantedRounds = 30
/** Seconds of one row in one round. */
const shortestTurn = 0.002
const longestTurn = 0.05
const mostSamplesInTurn = 5000

/** One of the calls that are timed in turn, and the op host that makes it. */
export interface Entrant {
  label: string
  call: TimedCall
  host: HostClient
}

export interface OpenEntrant extends Entrant {
  opened: OpenedTiming
}

export interface Taken {
  /** Seconds of one call, by rounds. */
  rounds: number[][]
  /** When each sample began, in seconds since the first of all. */
  times: number[]
  used: Used
  /** Of one call, medians over the rounds; absent where the system does not count them. */
  instructions?: number
  cycles?: number
  /** Hz of the processor before and after each round. */
  frequencies: number[]
  /** Of a device other than the CPU, at each round. */
  device: DeviceSamples[]
}

export interface SamplingLimits {
  /** For each call of the op host. */
  timeout: number
  /** Ends the op host in the middle of a call. */
  signal?: AbortSignal | undefined
  /** Ends the timing between two calls. */
  stop?: AbortSignal | undefined
}

type TimingCall =
  | 'timing.open'
  | 'timing.sample'
  | 'timing.layers'
  | 'timing.replay'
  | 'timing.profile'
  | 'timing.save'
  | 'timing.compare'

export async function callHost<N extends TimingCall>(
  { host, label }: Pick<Entrant, 'host' | 'label'>,
  name: N,
  input: HostInput<N>,
  { timeout, signal, stop }: SamplingLimits,
): Promise<Result<HostOutput<N>>> {
  if (stop?.aborted) return err('cancelled', 'Stopped.')
  return await host.call(name, input, { timeout, signal, phase: `timing ${label}` })
}

/** Whether the op host has ended with what was open in it, or nothing more is wanted of it. */
export function endedHost(error: WorkbenchError): boolean {
  const ends = ['host.crashed', 'host.timeout', 'host.unavailable', 'host.replaced', 'cancelled']
  return ends.includes(error.code)
}

/** How one of several calls ended the op host: the others must be opened again without it. */
export class HostEnded extends Error {
  constructor(
    readonly place: number,
    readonly reason: WorkbenchError,
  ) {
    super(reason.message)
  }
}

async function takeTurn(
  entrant: OpenEntrant,
  count: number,
  place: number,
  limits: SamplingLimits,
): Promise<Result<HostOutput<'timing.sample'>>> {
  const input = { handle: entrant.opened.handle, count }
  const samples = await callHost(entrant, 'timing.sample', input, limits)
  if (!samples.ok && endedHost(samples.error)) throw new HostEnded(place, samples.error)
  if (!samples.ok && samples.error.code === 'input.invalid') {
    return err('host.unavailable', 'The project was built again during the timing.', {
      hint: 'Measure again.',
    })
  }
  return samples
}

/** Seconds: events of CUDA and of others have times in steps of half a microsecond. */
const eventStep = 5e-7

/** What the clock of a row can tell apart, in seconds of one call. */
export function stepOf({
  device,
  callsPerSample,
}: Pick<OpenedTiming, 'device' | 'callsPerSample'>): number {
  return device === 'cpu' ? 0 : eventStep / callsPerSample
}

/** More samples do not make an interval narrower than two steps of the clock. */
function isNarrow(rounds: readonly (readonly number[])[], step: number): boolean {
  const medians = rounds.map(median)
  const [low, high] = medianInterval(medians)
  return (high - low) / 2 <= Math.max(step, narrowEnough * median(medians))
}

const none: Used = { wallSeconds: 0, threadSeconds: 0, processSeconds: 0, machineSeconds: 0 }

/**
 * Who is timed after whom changes from round to round, and each is the first of one as often: it comes after a pause,
 * and finds in no cache what it works on, which the next ones may have in common with it.
 */
export function inTurn<T>(all: readonly T[], round: number): T[] {
  const first = Math.floor(round / 2) % all.length
  const turned = [...all.slice(first), ...all.slice(0, first)]
  return round % 2 === 0 ? turned : turned.reverse()
}

interface Row {
  entrant: OpenEntrant
  place: number
  /** Samples of its next turn. */
  count: number
  taken: Taken
  instructions: number[]
  cycles: number[]
  error: WorkbenchError | undefined
}

/**
 * Samples of calls that are open, in rounds: some of each, then again in another order (A B B A), so
 * that a drift is in all of them alike. They end when each has had its seconds and the intervals are
 * narrow, or twice the seconds. Throws HostEnded.
 */
export async function takeSamples(
  entrants: readonly OpenEntrant[],
  seconds: number,
  limits: SamplingLimits,
): Promise<Result<Taken>[]> {
  const turn = Math.min(Math.max(seconds / wantedRounds, shortestTurn), longestTurn)
  const rows: Row[] = entrants.map((entrant, place) => ({
    entrant,
    place,
    count: firstCount(turn, entrant),
    taken: { rounds: [], times: [], used: none, frequencies: [], device: [] },
    instructions: [],
    cycles: [],
    error: undefined,
  }))
  const start = performance.now()
  const isDone = (round: number): boolean => {
    const active = rows.filter((row) => row.error === undefined)
    const spent = Math.min(...active.map((row) => row.taken.used.wallSeconds))
    if (active.length === 0) return true
    if (round < fewestRounds) return round >= fewestSlowRounds && spent > 4 * seconds
    if (spent < seconds) return false
    return (
      spent > 2 * seconds ||
      active.every((row) => isNarrow(row.taken.rounds, stepOf(row.entrant.opened)))
    )
  }
  for (let round = 1; ; round += 1) {
    for (const row of inTurn(rows, round - 1)) {
      if (row.error) continue
      const at = (performance.now() - start) / 1000
      const samples = await takeTurn(row.entrant, row.count, row.place, limits)
      if (!samples.ok) {
        row.error = samples.error
        continue
      }
      const { value } = samples
      const { taken } = row
      const step = value.wallSeconds / row.count
      taken.times.push(...value.seconds.map((_, index) => at + index * step))
      taken.rounds.push(value.seconds)
      taken.used = addUsed(taken.used, value)
      if (value.device) taken.device.push(value.device)
      taken.frequencies.push(...(value.frequencies ?? []))
      if (value.instructions !== undefined) row.instructions.push(value.instructions)
      if (value.cycles !== undefined) row.cycles.push(value.cycles)
      row.count = samplesFor(turn, step)
    }
    if (isDone(round)) break
  }
  return rows.map(({ taken, error, instructions, cycles }) =>
    error
      ? { ok: false, error }
      : ok({
          ...taken,
          ...(instructions.length > 0 ? { instructions: median(instructions) } : {}),
          ...(cycles.length > 0 ? { cycles: median(cycles) } : {}),
        }),
  )
}

/** What flushing the caches takes is not known yet. */
function firstCount(turn: number, { call, opened }: OpenEntrant): number {
  return call.cold ? 1 : samplesFor(turn, opened.secondsPerCall * opened.callsPerSample)
}

function samplesFor(turn: number, sample: number): number {
  return Math.min(Math.max(Math.round(turn / sample), 1), mostSamplesInTurn)
}

/** Of calls whose dispatching is a part that can be seen; others would take long for nothing. */
const longestWithLayers = 2e-4

/** Dispatcher and autograd next to the kernel, where there is something to tell; undefined elsewhere. */
export async function layersOf(
  entrant: OpenEntrant,
  limits: SamplingLimits,
): Promise<TimingLayers | undefined> {
  const { call, opened } = entrant
  const isShort = opened.secondsPerCall < longestWithLayers
  // A device works while the host dispatches: its part is not a part of the time.
  const isOnHost = opened.device === 'cpu'
  if (!call.op.includes('::') || call.direction !== 'forward' || call.cold || !isShort || !isOnHost)
    return undefined
  const layers = await callHost(entrant, 'timing.layers', { handle: opened.handle }, limits)
  return layers.ok ? layers.value : undefined
}

/** Samples of a call in a graph: enough for a median and quartiles. */
const replays = 50

/** The call without its launches, where a device does it warm; undefined elsewhere. */
export async function replayOf(
  entrant: OpenEntrant,
  limits: SamplingLimits,
): Promise<ReplayedTiming | undefined> {
  const { call, opened } = entrant
  if (opened.device === 'cpu' || call.direction !== 'forward' || call.cold) return undefined
  // A wait in the middle ends a capture.
  if (opened.traps.some(({ kind }) => kind === 'waits'))
    return { seconds: [], missing: 'the call waits for the device before it returns' }
  const input = { handle: opened.handle, count: replays }
  const replayed = await callHost(entrant, 'timing.replay', input, limits)
  return replayed.ok ? replayed.value : { seconds: [], missing: replayed.error.message }
}
