/**
 * How long a launch would take on a GPU model: a roofline over counts and occupancy. Both ends are wrong by what
 * nobody has measured, so an estimate is a range, and says that it is one.
 */
import { sectorBytes } from '../../contract/count-rows'
import type { GpuKernelCounts } from '../../contract/gpu-counts'
import type { GpuEstimate } from '../../contract/gpu-estimate'
import type { Occupancy } from '../../contract/occupancy'
import { resultsPerClock } from './gpu-models'
import type { GpuModel } from './gpu-models'

/** What an estimate is made of. */
type EstimatedKernel = Pick<
  GpuKernelCounts,
  'configurations' | 'total' | 'sectorsRead' | 'sectorsWritten'
>

/** Operations of a multiplication and an addition, which peaks count as two. */
const ofFused = 2
/** A function such as `expf` of full precision: this many operations at most, where its range is reduced. */
const mostOperationsOfFunction = 40
/** The part of a peak that a kernel reaches at least, if it has threads enough. */
const leastEfficiency = 0.6
/** A multiprocessor serves one pass over its banks in a clock. */
const passesPerClock = 1

/**
 * The low end: each sector moves once, memory, operations and shared memory overlap, and all multiprocessors that
 * have a block are busy. The high end: each sector of each request moves, nothing overlaps, and a part of the
 * peaks is reached, less where blocks and occupancy do not fill the GPU. Undefined where nothing was launched, or operations are not known.
 */
export function estimateOf(
  model: GpuModel,
  kernel: EstimatedKernel,
  occupancy: Occupancy,
): GpuEstimate | undefined {
  const { total } = kernel
  const launches = sumOf(kernel.configurations.map((one) => one.launches))
  const blocks = sumOf(kernel.configurations.map((one) => one.blocks)) / launches
  if (launches === 0 || occupancy.blocks === 0 || !total.operations) return undefined
  const { multiprocessors, bytesPerSecond, flopsPerSecond, architecture } = model
  const results = resultsPerClock[architecture]
  const clocks = flopsPerSecond / (ofFused * results.float32 * multiprocessors)
  const perSecond = (ofClock: number): number => ofClock * clocks * multiprocessors

  const { float32, float64, functionCalls } = total.operations
  const arithmetic = float32 / flopsPerSecond + float64 / (perSecond(results.float64) * ofFused)
  const shared =
    ((total.sharedLoads?.wavefronts ?? 0) + (total.sharedStores?.wavefronts ?? 0)) /
    perSecond(passesPerClock)
  const requested =
    (total.globalLoads?.sectors ?? 0) +
    (total.globalStores?.sectors ?? 0) +
    // An atomic reads and writes, a sector for each address at most.
    2 * (total.globalAtomics?.addresses ?? 0)
  const touched = kernel.sectorsRead + kernel.sectorsWritten

  const inUse = Math.min(1, blocks / multiprocessors)
  const least = {
    memory: (sectorBytes * touched) / bytesPerSecond,
    operations: (arithmetic + functionCalls / perSecond(results.special)) / inUse,
    'shared memory': shared / inUse,
  }
  const low = Math.max(...Object.values(least))
  const moved = (sectorBytes * Math.max(requested, touched)) / bytesPerSecond
  const functions = (functionCalls * mostOperationsOfFunction) / flopsPerSecond
  const reached = leastEfficiency * fillOf(model, blocks, occupancy)
  const high = (moved + arithmetic + functions + shared) / reached
  const boundBy =
    least.memory === low ? 'memory' : least.operations === low ? 'operations' : 'shared memory'
  return {
    model: model.name,
    architecture,
    low: low / launches,
    high: high / launches,
    boundBy,
    source: model.source,
  }
}

/** Part of the warps of the GPU that the blocks of a launch fill, on average: the last blocks run alone. */
function fillOf({ multiprocessors }: GpuModel, blocks: number, occupancy: Occupancy): number {
  const atOnce = occupancy.blocks * multiprocessors
  return (occupancy.occupancy * blocks) / (Math.ceil(blocks / atOnce) * atOnce)
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0)
