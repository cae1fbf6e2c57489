/** Sums of counts, and what follows from them. */
import { addSums, sectorBytes } from '../../contract/count-rows'
import type {
  GpuCounts,
  GpuCountSums,
  GpuKernelCounts,
  GpuLineCounts,
} from '../../contract/gpu-counts'
import { occupancyArchitectures } from '../../contract/occupancy'
import { estimateOf } from './estimate'
import { gpuModels } from './gpu-models'
import { occupancyOf } from './occupancy'

function intensityOf({ globalLoads, globalStores, operations }: GpuCountSums): number | null {
  const moved = sectorBytes * ((globalLoads?.sectors ?? 0) + (globalStores?.sectors ?? 0))
  const done = (operations?.float32 ?? 0) + (operations?.float64 ?? 0)
  return moved === 0 || done === 0 ? null : done / moved
}

type CountedKernel = Omit<GpuKernelCounts, 'arithmeticIntensity' | 'occupancy' | 'estimates'>

/** In the order that people read, with what follows from the counts. */
export function derived(counted: CountedKernel): GpuKernelCounts {
  const configurations = counted.configurations.toSorted(
    (one, other) => other.launches - one.launches,
  )
  const lines = counted.lines.toSorted(
    ({ place: one }, { place: other }) =>
      one.file.localeCompare(other.file) || one.line - other.line,
  )
  const [x, y, z] = configurations[0]?.block ?? [0, 0, 0]
  const needs = {
    threads: x * y * z,
    staticShared: counted.staticShared,
    dynamicShared: configurations[0]?.dynamicShared ?? 0,
  }
  return {
    ...counted,
    configurations,
    lines,
    arithmeticIntensity: intensityOf(counted.total),
    occupancy: occupancyArchitectures.options.map((architecture) =>
      occupancyOf(architecture, needs),
    ),
    estimates: gpuModels.flatMap((model) => {
      const estimate = estimateOf(model, counted, occupancyOf(model.architecture, needs))
      return estimate ? [estimate] : []
    }),
  }
}

/** Counts of more calls: a kernel of one name, launched at one line, is one kernel. */
export function mergeCounts(one: GpuCounts, other: GpuCounts): GpuCounts {
  const kernels = new Map(one.kernels.map((kernel) => [keyOf(kernel), kernel]))
  for (const kernel of other.kernels) {
    const before = kernels.get(keyOf(kernel))
    kernels.set(keyOf(kernel), before ? mergeKernels(before, kernel) : kernel)
  }
  return {
    basis: one.basis,
    launches: one.launches + other.launches,
    missedAccesses: one.missedAccesses + other.missedAccesses,
    kernels: [...kernels.values()],
  }
}

const keyOf = ({ kernel, launched, staticShared }: GpuKernelCounts): string =>
  JSON.stringify([kernel, launched.file, launched.line, staticShared])

function mergeKernels(one: GpuKernelCounts, other: GpuKernelCounts): GpuKernelCounts {
  const total: GpuCountSums = {}
  const lines = new Map<string, GpuLineCounts>()
  for (const kernel of [one, other]) {
    addSums(total, kernel.total)
    for (const { place, ...counts } of kernel.lines) {
      const key = `${place.file}\0${place.line}`
      const line = lines.get(key) ?? { place }
      addSums(line, counts)
      lines.set(key, line)
    }
  }
  const configurations = new Map<string, GpuKernelCounts['configurations'][number]>()
  for (const more of [...one.configurations, ...other.configurations]) {
    const key = JSON.stringify([more.block, more.dynamicShared])
    const { launches, blocks } = configurations.get(key) ?? { launches: 0, blocks: 0 }
    configurations.set(key, {
      ...more,
      launches: launches + more.launches,
      blocks: blocks + more.blocks,
    })
  }
  const { kernel, launched, staticShared } = one
  return derived({
    kernel,
    launched,
    staticShared,
    sectorsRead: one.sectorsRead + other.sectorsRead,
    sectorsWritten: one.sectorsWritten + other.sectorsWritten,
    configurations: [...configurations.values()],
    lines: [...lines.values()],
    total,
  })
}
