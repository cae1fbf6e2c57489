import type { DeviceFacts, DeviceSamples, DeviceState } from '../../contract/bench-device'
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
  if (first.missing !== '') {
    return [
      `The device’s clock, temperature and throttling are not known (${first.missing}): look at them yourself before you believe small differences.`,
    ]
  }
  const warnings: string[] = []
  const reasons = [...new Set(after.flatMap(({ slowedBy }) => slowedBy))]
  if (reasons.length > 0) {
    warnings.push(
      `The GPU kept its clock down meanwhile (${reasons.join(', ')}): let it cool, raise its power limit, or lock its clock lower (nvidia-smi --lock-gpu-clocks).`,
    )
  }
  const range = clockRange(after.flatMap(({ clock }) => (clock === undefined ? [] : [clock])))
  if (range && (range.high - range.low) / range.median > movedClock) {
    warnings.push(
      `The GPU’s clock moved between ${megahertz(range.low)} and ${megahertz(range.high)} meanwhile: lock it (nvidia-smi --lock-gpu-clocks).`,
    )
  }
  const processes = Math.max(...after.map((state) => state.processes ?? 1))
  if (processes > 1) {
    warnings.push(
      `${processes} processes compute on the GPU, this one among them: end the others, then time again.`,
    )
  }
  return warnings
}

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

/**
 * A peak is more than what a copy and a product reach, but never so much: FP8 and INT8 make twice, FP4 four
 * times the operations of bfloat16, which is the fastest product that is measured.
 */
const overCopy = 1.5
const overProduct = 8
/** Caches and registers feed a device this many times faster than its memory. */
const overMemory = 20
/** From here on what is read and written cannot have been in the cache. */
const beyondCache = 4

/** Seconds below which a device cannot move so many bytes or make so many operations. */
export function leastSecondsOn(
  work: { bytes?: number | undefined; flops?: number | undefined },
  isCold: boolean,
  { cacheBytes }: Pick<DeviceFacts, 'cacheBytes'>,
  ceilings: { bytesPerSecond: number; flopsPerSecond: Record<string, number> },
): number {
  const bytes = work.bytes ?? 0
  const isFromMemory = isCold || (cacheBytes > 0 && bytes > beyondCache * cacheBytes)
  const moving = bytes / ((isFromMemory ? overCopy : overMemory) * ceilings.bytesPerSecond)
  const fastest = Math.max(...Object.values(ceilings.flopsPerSecond))
  const computing = Number.isFinite(fastest) ? (work.flops ?? 0) / (overProduct * fastest) : 0
  return Math.max(moving, computing)
}
