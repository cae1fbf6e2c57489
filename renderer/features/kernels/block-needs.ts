import type { KernelResources } from '../../../electron/contract/build'
import type { GpuCounts } from '../../../electron/contract/gpu-counts'
import type { OccupancyArchitecture } from '../../../electron/contract/occupancy'

/** A kernel with what a block of it needs, as far as that is known. */
export type KnownBlock = {
  kernel: string
  threads: number
  /** By nvcc; undefined where it compiled nothing of that name. */
  registers: number | undefined
  /** Bytes, static and dynamic. */
  shared: number
}

const usualThreads = 256

/** "(anonymous namespace)::scale<float>" and "scale<scalar_t>" are instances of one kernel: "scale". */
export function baseName(kernel: string): string {
  const [beforeArguments = kernel] = kernel.split('<', 1)
  return beforeArguments.split('::').at(-1)?.trim() ?? kernel
}

/** Of several instances, the one that takes most registers; those of another architecture only where there is none. */
function resourcesOf(
  kernel: string,
  compiled: readonly KernelResources[],
  architecture: OccupancyArchitecture,
): KernelResources | undefined {
  const instances = compiled.filter(({ shortName }) => baseName(shortName) === baseName(kernel))
  const own = instances.filter((one) => `sm_${one.architecture}` === architecture)
  const candidates = own.length > 0 ? own : instances
  return candidates.toSorted((one, other) => other.registers - one.registers)[0]
}

/** Kernels that were counted, then those that only nvcc knows. */
export function knownBlocks(
  counts: GpuCounts,
  compiled: readonly KernelResources[],
  architecture: OccupancyArchitecture,
): KnownBlock[] {
  const blocks = new Map<string, KnownBlock>()
  for (const { kernel, staticShared, configurations } of counts.kernels) {
    const [{ block, dynamicShared } = { block: [usualThreads, 1, 1], dynamicShared: 0 }] =
      configurations
    const [x = 1, y = 1, z = 1] = block
    const resources = resourcesOf(kernel, compiled, architecture)
    blocks.set(kernel, {
      kernel,
      threads: x * y * z,
      registers: resources?.registers,
      shared: Math.max(staticShared, resources?.sharedBytes ?? 0) + dynamicShared,
    })
  }
  const counted = new Set([...blocks.keys()].map(baseName))
  for (const { shortName } of compiled) {
    const resources = resourcesOf(shortName, compiled, architecture)
    const kernel = baseName(shortName)
    if (!resources || counted.has(kernel)) continue
    const { registers, sharedBytes } = resources
    blocks.set(kernel, { kernel, threads: usualThreads, registers, shared: sharedBytes })
  }
  return [...blocks.values()]
}
