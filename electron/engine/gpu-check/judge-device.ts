import type { DeviceCeilings, DeviceKernel } from '../../contract/timing-device'
import type { DriverDevice } from '../toolchain/driver-report'
import { counted, giga, judge, median, micro, percent } from './judgement'
import type { Judgement } from './judgement'

export interface EventFigures {
  /** Seconds between two events with nothing between them. */
  nothing: readonly number[]
  /** Seconds of kernels that take 100 µs and 10 ms by the device's own clock. */
  short: number
  long: number
  /** How many there were of all, and of how many a launch is a part: the host was not ahead of the device. */
  samples: number
  behind: number
}

/** Of samples, for which the host may be late. */
const mostBehind = 0.05

export const shortSpin = 100e-6
export const longSpin = 10e-3

/** The smallest difference between two of the values: the step of the clock. */
export function stepOf(values: readonly number[]): number {
  const sorted = [...new Set(values.map((value) => Math.round(value * 1e9)))].sort((a, b) => a - b)
  const steps = sorted.slice(1).map((value, index) => value - (sorted[index] ?? value))
  return steps.length === 0 ? 0 : Math.min(...steps) * 1e-9
}

/** The driver's events measure what the device's own clock does. */
export function judgeEvents(figures: EventFigures): Judgement {
  const { nothing, short, long, samples, behind } = figures
  const empty = median(nothing)
  const shortOff = short / shortSpin - 1
  const longOff = long / longSpin - 1
  const wrong: string[] = []
  const doubts: string[] = []
  const compare = (name: string, off: number, good: number): void => {
    const text = `CUDA events measure ${percent(Math.abs(off))} ${off < 0 ? 'less' : 'more'} time than the device’s clock for a GPU kernel of ${name}`
    if (!(Math.abs(off) < 10 * good)) wrong.push(text)
    else if (Math.abs(off) > good) doubts.push(text)
  }
  compare('10 ms', longOff, 0.01)
  // A launch is a part of it, and the device's clock may tick each microsecond.
  compare('100 µs', shortOff, 0.03)
  if (!(empty < 20e-6))
    wrong.push(
      `two CUDA events with nothing between them are ${micro(empty)} µs apart, but should be less than 20 µs apart`,
    )
  else if (empty > 3e-6)
    doubts.push(
      `two CUDA events with nothing between them are ${micro(empty)} µs apart, but should be at most 3 µs apart`,
    )
  if (behind > mostBehind * samples)
    doubts.push(
      `${behind} of ${samples} samples include the launch: the device waited for the host`,
    )
  return judge(
    {
      wrong,
      doubts,
      found: `two CUDA events with nothing between them are ${micro(empty)} µs apart, and CUDA events measure 10 ms with an error of ${percent(Math.abs(longOff))}`,
    },
    {
      'nothing between two events, µs': micro(empty),
      'step of the clock, µs': micro(stepOf(nothing)),
      'kernel of 100 µs, µs': micro(short),
      'kernel of 10 ms, µs': micro(long),
      'samples without the launch, %': Math.round((1 - behind / samples) * 1000) / 10,
    },
  )
}

export interface StreamFinding {
  where: string
  /** "timed", "not captured", "asynchronous", "waits" */
  expected: string
  found: string
}

/** A kernel on each kind of stream is told for what it is. */
export function judgeStreams(findings: readonly StreamFinding[]): Judgement {
  const wrong = findings.filter(({ expected, found }) => expected !== found)
  return judge(
    {
      wrong: wrong.map(
        ({ where, expected, found }) =>
          `timing treats a GPU kernel (on ${where}) as "${found}", but should treat it as "${expected}"`,
      ),
      doubts: [],
      found: `timing treats GPU kernels on ${findings.length} kinds of streams correctly`,
    },
    Object.fromEntries(findings.map(({ where, found }) => [where, found])),
  )
}

export interface CacheFigures {
  /** As the driver says. */
  cacheBytes: number
  /** Bytes that are read again and again, and how quickly. */
  curve: readonly { bytes: number; bytesPerSecond: number }[]
  /** Seconds of reading a quarter of the cache once: it is there, and it was flushed. */
  warm: number
  cold: number
}

/** The largest size that is still read at the cache's rate: nearer to the best than to the worst. */
export function kneeOf(curve: CacheFigures['curve']): number {
  const rates = curve.map(({ bytesPerSecond }) => bytesPerSecond)
  const between = Math.sqrt(Math.max(...rates) * Math.min(...rates))
  return Math.max(...curve.filter((one) => one.bytesPerSecond >= between).map(({ bytes }) => bytes))
}

const mebi = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`

/** Overwriting what lies in the cache makes the next read slower, and the cache is as large as the driver says. */
export function judgeCache({ cacheBytes, curve, warm, cold }: CacheFigures): Judgement {
  const knee = kneeOf(curve)
  const rates = curve.map(({ bytesPerSecond }) => bytesPerSecond)
  const gain = Math.max(...rates) / Math.min(...rates)
  const isFar = knee < cacheBytes / 2 || knee > cacheBytes * 2
  return judge(
    {
      wrong:
        cold > warm
          ? []
          : [
              `a read after the flush takes ${micro(cold)} µs, but a read without a flush takes ${micro(warm)} µs: the flush does not empty the cache`,
            ],
      doubts: [
        ...(gain > 1.2 && isFar
          ? [
              `reads of more than ${mebi(knee)} are slower, but the driver reports a cache of ${mebi(cacheBytes)}`,
            ]
          : []),
        ...(gain > 1.2
          ? []
          : ['reads of all sizes are equally fast: the cache has no effect on them']),
      ],
      found: `reading a buffer of a quarter of the L2 cache takes ${micro(warm)} µs, and ${micro(cold)} µs after a flush; buffers larger than ${mebi(knee)} have a lower bandwidth (L2 cache: ${mebi(cacheBytes)})`,
    },
    {
      'L2 size from the driver, MiB': Math.round(cacheBytes / 2 ** 20),
      'reads get slower above, MiB': Math.round(knee / 2 ** 20),
      'read without a flush, µs': micro(warm),
      'read after a flush, µs': micro(cold),
      'reads from the cache, GB/s': giga(Math.max(...rates)),
      'reads from memory, GB/s': giga(Math.min(...rates)),
    },
  )
}

/** float32 units of a multiprocessor, by compute capability. */
function lanesOf(architecture: string): number {
  const number = Number(architecture)
  return number === 70 || number === 75 || number === 80 ? 64 : 128
}

/** What the memory's clock and width, and the multiprocessors and their clock, come to. */
export function peaksOf(device: DriverDevice): { bytesPerSecond: number; flopsPerSecond: number } {
  return {
    // Two transfers a clock.
    bytesPerSecond: (2 * device.memoryClock * device.busBits) / 8,
    flopsPerSecond: 2 * device.multiprocessors * lanesOf(device.architecture) * device.clock,
  }
}

export interface CeilingFigures {
  device: DriverDevice
  ceilings: DeviceCeilings
  /** Hz, while it multiplied matrices for three seconds. */
  clocks: readonly number[]
  slowedBy: readonly string[]
  /** That compute on it, without our own; undefined where the driver does not say. */
  otherProcesses: number | undefined
  /** Why clock and throttling could not be read; "" else. */
  unread: string
}

/** What was measured is possible, and not far from what the device can do; it holds its clock meanwhile. */
export function judgeCeilings(figures: CeilingFigures): Judgement {
  const { ceilings, clocks, slowedBy, otherProcesses, unread } = figures
  const peaks = peaksOf(figures.device)
  const copy = ceilings.bytesPerSecond / peaks.bytesPerSecond
  const product = ceilings.flopsPerSecond['float32'] ?? Number.NaN
  const float32 = product / peaks.flopsPerSecond
  const wrong: string[] = []
  const doubts: string[] = []
  const compare = (what: string, part: number, least: number): void => {
    // Drivers of the newest devices no longer give their memory's clock.
    if (!Number.isFinite(part))
      doubts.push(`${what} or the device’s peak is unknown, so they cannot be compared`)
    else if (part > 1.1)
      wrong.push(`${what} is ${percent(part)} of the device’s peak, which is impossible`)
    else if (part < least) doubts.push(`${what} is only ${percent(part)} of the device’s peak`)
  }
  compare('the bandwidth of a copy', copy, 0.6)
  compare('the rate of a float32 matrix product', float32, 0.4)
  const low = Math.min(...clocks)
  const high = Math.max(...clocks)
  if (unread !== '') doubts.push(`the device’s clock and throttling cannot be read: ${unread}`)
  else if (clocks.length > 0 && high / low > 1.1)
    doubts.push(
      `the device’s clock changed between ${Math.round(low / 1e6)} and ${Math.round(high / 1e6)} MHz`,
    )
  const reasons = slowedBy.filter((reason) => reason !== 'power cap')
  if (reasons.length > 0) doubts.push(`the device reduced its clock (${reasons.join(', ')})`)
  if (otherProcesses !== undefined && otherProcesses > 0)
    doubts.push(
      `${counted(otherProcesses, 'other process').replace('processs', 'processes')} used the device`,
    )
  return judge(
    {
      wrong,
      doubts,
      found: `a copy reaches ${giga(ceilings.bytesPerSecond)} GB/s (${percent(copy)} of the peak), and a float32 matrix product reaches ${(product / 1e12).toFixed(1)} TFLOP/s (${percent(float32)})`,
    },
    {
      'copy, GB/s': giga(ceilings.bytesPerSecond),
      'peak from memory clock and bus width, GB/s': giga(peaks.bytesPerSecond),
      ...Object.fromEntries(
        Object.entries(ceilings.flopsPerSecond).map(([dtype, flops]) => [
          `${dtype}, TFLOP/s`,
          Number((flops / 1e12).toFixed(2)),
        ]),
      ),
      'float32 peak, TFLOP/s': Number((peaks.flopsPerSecond / 1e12).toFixed(2)),
      ...(clocks.length > 0
        ? {
            'lowest clock, MHz': Math.round(low / 1e6),
            'highest clock, MHz': Math.round(high / 1e6),
          }
        : {}),
      'clock reduced by': slowedBy.join(', '),
      ...(otherProcesses === undefined ? {} : { 'other processes': otherProcesses }),
    },
  )
}

export interface GraphFigures {
  /** Why a product and a relu are not replayed; "" where they are, with the right results. */
  missing: string
  /** Seconds of one call, replayed and warm. */
  replayed: number
  warm: number
  /** Why calls that cannot be captured were not, by name; "" where one was. */
  refusals: Readonly<Record<string, string>>
  /** Bytes of the device in use before and after many captures; NaN where they are not known. */
  before: number
  after: number
}

/** Of one capture a graph keeps less than this; a leak of a hundred is more. */
const leak = 64 << 20

/** Calls are captured, replayed and compared; what cannot be captured says why; nothing leaks. */
export function judgeGraph(figures: GraphFigures): Judgement {
  const { missing, replayed, warm, refusals, before, after } = figures
  const grown = after - before
  const captured = Object.entries(refusals).filter(([, why]) => why === '')
  return judge(
    {
      wrong: [
        ...(missing === ''
          ? []
          : [`replaying a CUDA graph of a matrix product and a relu failed: ${missing}`]),
        ...captured.map(
          ([name]) => `Opsmith replayed a CUDA graph of ${name}, but should have refused this call`,
        ),
        ...(grown > leak
          ? [`capturing a CUDA graph 100 times leaks ${mebi(grown)} of device memory`]
          : []),
      ],
      doubts:
        missing === '' && replayed > warm * 1.03
          ? [
              `a call replayed from a CUDA graph takes ${micro(replayed)} µs, but a call without a CUDA graph takes only ${micro(warm)} µs`,
            ]
          : [],
      found: `a replayed CUDA graph of a matrix product and a relu gives the right results in ${micro(replayed)} µs (without a CUDA graph: ${micro(warm)} µs); Opsmith refuses to capture ${Object.keys(refusals).join(' and ')}, as it should`,
    },
    {
      'with a CUDA graph, µs': micro(replayed),
      'without a CUDA graph, µs': micro(warm),
      ...refusals,
      ...(Number.isFinite(grown)
        ? { 'leaked by 100 captures, MiB': Math.round(grown / 2 ** 20) }
        : {}),
    },
  )
}

export interface ProfilerFigures {
  kernels: readonly DeviceKernel[]
  /** Why there are none. */
  missing: string
  /** Seconds of the same call by events, before the profile and after it. */
  before: number
  after: number
}

/** A call's kernel is seen with its launch and for as long as events say, and profiling leaves nothing behind. */
export function judgeProfiler({ kernels, missing, before, after }: ProfilerFigures): Judgement {
  const kernel = kernels.find(({ kind }) => kind === 'kernel')
  if (!kernel) {
    return judge(
      {
        wrong: [`the profiler recorded no kernel${missing === '' ? '' : `: ${missing}`}`],
        doubts: [],
        found: '',
      },
      {},
    )
  }
  const off = kernel.seconds / before - 1
  const slower = after / before - 1
  const lacks = [
    ...(kernel.grid?.length ? [] : ['grid']),
    ...(kernel.registers === undefined ? ['registers'] : []),
    ...(kernel.occupancy === undefined ? ['occupancy'] : []),
  ]
  return judge(
    {
      wrong:
        Math.abs(off) > 0.5
          ? [
              `the profiler reports ${micro(kernel.seconds)} µs for a kernel, but CUDA events measure ${micro(before)} µs for its call`,
            ]
          : [],
      doubts: [
        ...(Math.abs(off) > 0.1 && Math.abs(off) <= 0.5
          ? [
              `the profiler reports ${percent(Math.abs(off))} ${off < 0 ? 'less' : 'more'} time for a kernel than CUDA events measure for the call, so do not trust smaller differences in profiles`,
            ]
          : []),
        ...(lacks.length > 0
          ? [`the profile does not contain the kernel’s ${lacks.join(', ')}`]
          : []),
        ...(slower > 0.03 ? [`calls are ${percent(slower)} slower after a profile`] : []),
      ],
      found: `the profiler reports ${micro(kernel.seconds)} µs for the kernel of one relu; CUDA events measure ${micro(before)} µs for the call`,
    },
    {
      kernels: kernels.length,
      'in the profile, µs': micro(kernel.seconds),
      'between CUDA events, before the profile, µs': micro(before),
      'between CUDA events, after the profile, µs': micro(after),
      ...(kernel.registers === undefined ? {} : { registers: kernel.registers }),
    },
  )
}

export interface FaultFinding {
  fault: string
  /** What the call answered; "" where it succeeded. */
  answer: string
  /** The answer names the operator, or what is wanted of it otherwise. */
  isNamed: boolean
  /** The next call gave the right numbers. */
  isNextRight: boolean
}

export interface FaultFigures {
  faults: readonly FaultFinding[]
  /** Operator checks on the device that failed, of an operator that is right. */
  failedChecks: readonly string[]
  /** What became of the check of a backward that crashes, where it was not found as a crash; "" else. */
  unprotected: string
}

/** The answer to each fault names it, and the next call finds a device that works. */
export function judgeFaults({ faults, failedChecks, unprotected }: FaultFigures): Judgement {
  const wrong = [
    ...faults.flatMap(({ fault, answer, isNamed, isNextRight }) => [
      ...(answer === '' ? [`${fault} is not reported`] : []),
      ...(isNextRight ? [] : [`after ${fault}, the next call fails or gives wrong numbers`]),
      ...(answer !== '' && !isNamed
        ? [`${fault} is reported, but the message does not name it: ${answer}`]
        : []),
    ]),
    ...failedChecks.map(
      (one) =>
        `the operator check ${one} reports a failure of a correct operator, so do not trust this check on this GPU`,
    ),
    ...(unprotected === ''
      ? []
      : [`a crash in backward is not reported as a crash: ${unprotected}`]),
  ]
  return judge(
    {
      wrong,
      doubts: [],
      found: `${counted(faults.length, 'fault')} are reported correctly, and the call after each fault gives the right result`,
    },
    Object.fromEntries(faults.map(({ fault, answer }) => [fault, answer])),
  )
}
