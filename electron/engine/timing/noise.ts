import type { TimingSamples, TimingTrap, MachineFacts } from '../../contract/timing'
import { driftOf, quantile, sortedNumbers, spreadOf } from './statistics'
import type { Summary } from './statistics'

/** torch.utils.benchmark warns from here on too. */
const wideSpread = 0.1
const smallestDrift = 0.03
/** Of all cores. */
const otherLoad = 0.1
/** Of the op host's own work, by other threads than the one that calls: its event loop does a little. */
const otherThreads = 0.25
/** Cores beyond what was asked for. */
const moreCores = 0.3
/** Less than this is a few ticks of the clock that /proc/stat counts in. */
const leastWall = 0.1
/** A cold sample is one call: from here on reading the clock is under 1 % of it, or two events 5 %. */
const leastCold = 1e-5
const leastColdOnDevice = 5e-5

/** What was used while a row's samples were taken, in seconds. */
export type Used = Pick<
  TimingSamples,
  'wallSeconds' | 'threadSeconds' | 'processSeconds' | 'machineSeconds'
>

export function addUsed(sum: Used, one: Used): Used {
  return {
    wallSeconds: sum.wallSeconds + one.wallSeconds,
    threadSeconds: sum.threadSeconds + one.threadSeconds,
    processSeconds: sum.processSeconds + one.processSeconds,
    machineSeconds: sum.machineSeconds + one.machineSeconds,
  }
}

/** Of the clock, between the lowest and the highest twentieth of what was measured. */
const movedClock = 0.03

const percent = (part: number): string => `${Math.round(part * 100)} %`

/** The frequency may change, where something other than "performance" governs it. */
function governed({ frequency: { governor } }: Pick<MachineFacts, 'frequency'>): string {
  return governor === '' || governor === 'performance'
    ? ''
    : ` The frequency governor of the processor is "${governor}": for timings, set "performance" (cpupower frequency-set -g performance).`
}

export interface ClockRange {
  median: number
  low: number
  high: number
}

/** Hz while samples were taken; undefined where it cannot be measured. */
export function clockRange(frequencies: readonly number[]): ClockRange | undefined {
  if (frequencies.length === 0) return undefined
  const sorted = sortedNumbers(frequencies)
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.05),
    high: quantile(sorted, 0.95),
  }
}

/** Whatever the governor is called: the clock was measured, by additions that take a cycle each. */
export function clockWarnings(
  frequencies: readonly number[],
  { frequency }: Pick<MachineFacts, 'frequency'>,
): string[] {
  const range = clockRange(frequencies)
  if (!range || (range.high - range.low) / range.median <= movedClock) return []
  const gigahertz = (hertz: number): string => (hertz / 1e9).toFixed(2)
  const { governor, turbo } = frequency
  const what =
    governor !== '' && governor !== 'performance'
      ? `Set the governor "performance" instead of "${governor}" (cpupower frequency-set -g performance)`
      : turbo === 'on'
        ? 'Turn turbo off (echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost)'
        : 'Opsmith found no way to lock the clock frequency (common on virtual machines). Compare only calls of one benchmark, which Opsmith times in turn, or sample for longer'
  return [
    `The processor’s clock changed between ${gigahertz(range.low)} and ${gigahertz(range.high)} GHz during the timing. ${what}.`,
  ]
}

function loadWarnings(used: Used, threads: number, cores: number): string[] {
  if (used.wallSeconds < leastWall) return []
  const warnings: string[] = []
  // 0 where the system does not count it.
  const others = used.machineSeconds === 0 ? 0 : used.machineSeconds - used.processSeconds
  const share = others / (used.wallSeconds * cores)
  if (share > otherLoad) {
    // /proc/stat counts in ticks, and what a hypervisor took beside: over a short time it may say more.
    const busy = Math.min(others / used.wallSeconds, cores).toFixed(1)
    warnings.push(
      `Other programs kept ${busy} of ${cores} cores busy during the timing: end these programs, then measure again.`,
    )
  }
  const own = used.processSeconds / used.wallSeconds
  // A share of its work, not of the time: on a machine that is busy it gets little of that.
  const beside = 1 - used.threadSeconds / used.processSeconds
  if (threads === 1 ? beside > otherThreads : own > threads + moreCores) {
    const what =
      threads === 1
        ? `1 thread was requested, but the call starts other threads, which do ${percent(beside)} of the work`
        : `${threads} threads were requested, but the call uses ${own.toFixed(1)} cores`
    warnings.push(
      `${what}. Compare the time of this call only with calls that use the same number of cores.`,
    )
  }
  return warnings
}

interface TakenSamples {
  /** Seconds of one call, by rounds. */
  rounds: readonly (readonly number[])[]
  used: Used
  /** Hz of the processor before and after each round. */
  frequencies: readonly number[]
}

/** What makes a row's time doubtful, each a sentence that says what to do. */
export function noiseWarnings(
  { rounds, used, frequencies }: TakenSamples,
  summary: Summary,
  { device, point }: { device: string; point: { threads: number; cold: boolean } },
  machine: Pick<MachineFacts, 'cores' | 'frequency'> & { betweenEvents: number },
): string[] {
  const { betweenEvents } = machine
  const isOnHost = device === 'cpu'
  const warnings: string[] = []
  const spread = spreadOf(summary)
  const drift = driftOf(rounds)
  const drifts = drift.significant && Math.abs(drift.ratio - 1) > smallestDrift
  const clock = isOnHost ? clockWarnings(frequencies, machine) : []
  const frequency = !isOnHost || clock.length > 0 ? '' : governed(machine)
  if (spread > wideSpread) {
    warnings.push(
      `The timings are noisy: the interquartile range (IQR) is ${percent(spread)} of the median. Sample for longer, on an idle machine.${drifts ? '' : frequency}`,
    )
  }
  if (drifts) {
    const direction = drift.ratio > 1 ? 'slower' : 'faster'
    warnings.push(
      `Timings drifted: the last third of the samples is ${percent(Math.abs(drift.ratio - 1))} ${direction} than the first third. Let the machine settle, or sample for longer.${frequency}`,
    )
  }
  warnings.push(...clock)
  // A device does its work whatever the host's other cores do.
  if (isOnHost) warnings.push(...loadWarnings(used, point.threads, machine.cores))
  if (rounds.length < 9)
    warnings.push(`Only ${rounds.length} rounds were sampled: sample for longer.`)
  if (point.cold && isOnHost && summary.median < leastCold)
    warnings.push(
      'The call is too short to be timed with cold caches: the time includes the time to read the clock. Use the time with warm caches.',
    )
  if (point.cold && !isOnHost && summary.median < leastColdOnDevice) {
    warnings.push(
      `The call is too short to be timed with cold caches: the time includes two events on the device, which take ${(betweenEvents * 1e6).toFixed(1)} µs on this machine. Use the time with warm caches.`,
    )
  }
  return warnings
}

/** A time that no machine can keep to, or that is not of the work: no speed is shown. */
export function refusalOfSamples(traps: readonly TimingTrap[]): string {
  const trap = traps.find(({ kind }) => kind === 'cached' || kind === 'asynchronous')
  return trap ? `the call ${trap.message}` : ''
}

export function trapWarnings(traps: readonly TimingTrap[]): string[] {
  return traps.flatMap(({ kind, message }) =>
    kind === 'constant' || kind === 'waits'
      ? [`The call ${message}.`]
      : kind === 'not a number'
        ? [
            `${message.charAt(0).toUpperCase()}${message.slice(1)}: use inputs that are valid for the operator.`,
          ]
        : [],
  )
}
