import type {
  DeviceCeilings,
  DeviceFacts,
  DeviceSamples,
  DeviceState,
} from '../../contract/timing-device'
import { clockRange } from './noise'

/** Of a GPU's clock, from one round to another. */
const movedClock = 0.03

const megahertz = (hertz: number): string => `${Math.round(hertz / 1e6)} MHz`

/**
 * What makes a row's time on a device doubtful, by its state before and after each round. Its clock
 * before the first round is that of a device at rest and says nothing.
 */
export function deviceWarnings(rounds: readonly DeviceSamples[]): string[] {
  const after = rounds.map((round) => round.after)
  const [first] = after
  if (!first) return []
  const warnings: string[] = []
  const behind = rounds.reduce((sum, round) => sum + round.behind, 0)
  if (behind > 0) {
    warnings.push(
      `${behind} ${behind === 1 ? 'sample includes' : 'samples include'} the launch of kernels, because the device waited for the host: such samples measure the host, not the device.`,
    )
  }
  if (first.missing !== '') {
    return [
      ...warnings,
      `The device’s clock, temperature and throttling are not known (${first.missing}): check these values yourself before you trust small differences.`,
    ]
  }
  const reasons = [...new Set(after.flatMap(({ slowedBy }) => slowedBy))]
  if (reasons.length > 0) {
    warnings.push(
      `The GPU reduced its clock during the timing (${reasons.join(', ')}): let the GPU cool, raise the power limit, or lock the clock at a lower rate (nvidia-smi --lock-gpu-clocks).`,
    )
  }
  const range = clockRange(after.flatMap(({ clock }) => (clock === undefined ? [] : [clock])))
  if (range && (range.high - range.low) / range.median > movedClock) {
    warnings.push(
      `The GPU’s clock changed between ${megahertz(range.low)} and ${megahertz(range.high)} during the timing: lock the clock (nvidia-smi --lock-gpu-clocks).`,
    )
  }
  const others = Math.max(...after.map((state) => state.otherProcesses ?? 0))
  if (others > 0) {
    warnings.push(
      `${otherProcesses(others)} used the GPU during the timing. End other programs on the GPU (nvidia-smi lists them), then measure again.`,
    )
  }
  return warnings
}

const otherProcesses = (count: number): string =>
  `${count} other ${count === 1 ? 'process' : 'processes'}`

/** "1980 MHz, memory 2619 MHz, 41 °C, 210 W" */
export function stateText(state: DeviceState): string {
  const parts = [
    ...(state.clock === undefined ? [] : [megahertz(state.clock)]),
    ...(state.memoryClock === undefined ? [] : [`memory ${megahertz(state.memoryClock)}`]),
    ...(state.temperature === undefined ? [] : [`${Math.round(state.temperature)} °C`]),
    ...(state.power === undefined ? [] : [`${Math.round(state.power)} W`]),
  ]
  return parts.join(', ')
}

/** A power cap is what large products meet always; the rest is of this moment. */
const usual = 'power cap'

/** Between a clock that is locked lower and one that is not there is more than from one moment to the next. */
const fasterClock = 1.1

/** Whether the device works with a higher clock now than when its ceilings were measured. */
export function isFasterThan(
  states: readonly DeviceState[],
  { state }: Pick<DeviceCeilings, 'state'>,
): boolean {
  const clock = Math.max(0, ...states.flatMap((one) => one.clock ?? []))
  return state.clock !== undefined && clock > fasterClock * state.clock
}

/** Why ceilings that areDoubtful() are not used. */
export function doubtOfDevice({ state }: Pick<DeviceCeilings, 'state'>): string {
  const others = state.otherProcesses ?? 0
  const reasons = state.slowedBy.filter((reason) => reason !== usual)
  const why = [
    ...(others > 0 ? [`${otherProcesses(others)} used the device`] : []),
    ...(reasons.length > 0 ? [`the device reduced its clock (${reasons.join(', ')})`] : []),
  ].join(', and ')
  return `while Opsmith measured these two limits, ${why}`
}

/** Whether what was measured may be less than the device can do: it was kept down, or others used it. */
export function areDoubtful({ state }: Pick<DeviceCeilings, 'state'>): boolean {
  return (state.otherProcesses ?? 0) > 0 || state.slowedBy.some((reason) => reason !== usual)
}

/** A peak is more than what a copy and a product reach, but never so much. */
const overCopy = 1.5
const overProduct = 2
/** FP8 and INT8 make twice, FP4 four times the operations of bfloat16, which is the fastest that is measured. */
const overNarrowProduct = 8
/** Caches feed a device this many times faster than its memory. */
const overMemory = 16
/** From here on what is read and written cannot have been in the cache. */
const beyondCache = 4

/** What a call has to do at one point. */
export interface DeviceWork {
  bytes?: number | undefined
  flops?: number | undefined
  /** Some input has elements of one byte. */
  isNarrow?: boolean
}

/**
 * Seconds below which a device cannot move so many bytes or make so many operations. Of float32 too they may
 * be products of bfloat16, which are as many as TensorFloat-32's twice over.
 */
export function leastSecondsOn(
  work: DeviceWork,
  isCold: boolean,
  { cacheBytes }: Pick<DeviceFacts, 'cacheBytes'>,
  ceilings: Pick<DeviceCeilings, 'bytesPerSecond' | 'flopsPerSecond'>,
): number {
  const bytes = work.bytes ?? 0
  const isFromMemory = isCold || (cacheBytes > 0 && bytes > beyondCache * cacheBytes)
  const moving = bytes / ((isFromMemory ? overCopy : overMemory) * ceilings.bytesPerSecond)
  const fastest = Math.max(...Object.values(ceilings.flopsPerSecond))
  const rate = (work.isNarrow ? overNarrowProduct : overProduct) * fastest
  const computing = Number.isFinite(fastest) ? (work.flops ?? 0) / rate : 0
  return Math.max(moving, computing)
}
