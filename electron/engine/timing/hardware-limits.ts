import type { MachineCeilings, MachineFacts } from '../../contract/timing'

/**
 * What no core of today does more than, so that nothing true is ever refused: 6 GHz, two loads and one
 * store of 64 bytes a cycle, two fused multiply-adds of 512 bits a cycle (Intel's optimisation manual,
 * of Golden Cove; others do less).
 */
const cyclesPerSecond = 6e9
const cacheBytesPerCycle = 3 * 64
const flopsPerCycle = 64
/** A copy writes half of its bytes, and may be measured while others use the memory. */
const overCopy = 3
/** From here on what is read and written cannot have been in a cache. */
const beyondCaches = 4

/** Seconds below which nothing can move so many bytes or make so many operations. */
export function leastSeconds(
  work: { bytes?: number | undefined; flops?: number | undefined },
  point: { threads: number; cold: boolean },
  machine: Pick<MachineFacts, 'cores' | 'cacheBytes'>,
  ceilings: Pick<MachineCeilings, 'bytesPerSecond'> | undefined,
): number {
  const cores = Math.max(1, Math.min(point.threads, machine.cores))
  const bytes = work.bytes ?? 0
  const fromCaches = bytes / (cores * cyclesPerSecond * cacheBytesPerCycle)
  const isFromMemory = point.cold || bytes > beyondCaches * machine.cacheBytes
  const fromMemory = isFromMemory && ceilings ? bytes / (overCopy * ceilings.bytesPerSecond) : 0
  const arithmetic = (work.flops ?? 0) / (cores * cyclesPerSecond * flopsPerCycle)
  return Math.max(fromCaches, fromMemory, arithmetic)
}
