/** What a counted run of kernels reports: how warps access memory, and what that costs a GPU. */
import { z } from 'zod'

import { gpuEstimate } from './gpu-estimate'
import { sourcePlace } from './gpu-findings'
import { occupancy } from './occupancy'

/** Shown wherever counts are. */
export const countsBasis =
  'Counts are for the code that clang generates. nvcc may merge, widen or drop accesses.'

/** Requests of warps: all lanes of a warp that execute one instruction together. */
const requestCounts = z.object({
  requests: z.int(),
  /** Active lanes of all requests: divided by the requests, of 32. */
  lanes: z.int(),
  /** Bytes that the active lanes ask for. */
  bytes: z.int(),
})

export const globalCounts = requestCounts.extend({
  /** Sectors of 32 bytes that the requests touch: what moves. */
  sectors: z.int(),
})
export type GlobalCounts = z.infer<typeof globalCounts>

export const sharedCounts = requestCounts.extend({
  /** Passes over the 32 banks that the requests need. */
  wavefronts: z.int(),
  /** And would need without bank conflicts. */
  leastWavefronts: z.int(),
})
export type SharedCounts = z.infer<typeof sharedCounts>

export const atomicCounts = requestCounts.extend({
  /** Different addresses of the requests. */
  addresses: z.int(),
  /** The most lanes at one address, summed over requests: they go one after another. */
  serialLanes: z.int(),
})
export type AtomicCounts = z.infer<typeof atomicCounts>

export const barrierCounts = z.object({
  /** Warps that came, each time. */
  warps: z.int(),
  lanes: z.int(),
})

/** Scalar floating-point operations of all threads: add, subtract, multiply, divide, square root, minimum, maximum; a fused multiply-add is two. */
export const operationCounts = z.object({
  float32: z.int(),
  float64: z.int(),
  /** Calls of functions such as `expf`, whose operations are not counted. */
  functionCalls: z.int(),
})
export type OperationCounts = z.infer<typeof operationCounts>

/** What has none of a kind lacks its key. */
export const gpuCountSums = z.object({
  globalLoads: globalCounts.optional(),
  globalStores: globalCounts.optional(),
  sharedLoads: sharedCounts.optional(),
  sharedStores: sharedCounts.optional(),
  globalAtomics: atomicCounts.optional(),
  sharedAtomics: atomicCounts.optional(),
  barriers: barrierCounts.optional(),
  operations: operationCounts.optional(),
})
export type GpuCountSums = z.infer<typeof gpuCountSums>

export const gpuLineCounts = gpuCountSums.extend({ place: sourcePlace })
export type GpuLineCounts = z.infer<typeof gpuLineCounts>

const configuration = z.object({
  /** blockDim: x, y, z. */
  block: z.tuple([z.int(), z.int(), z.int()]),
  /** Bytes. */
  dynamicShared: z.int(),
  launches: z.int(),
  blocks: z.int(),
})

export const gpuKernelCounts = z.object({
  /** The kernel, as the launch names it. */
  kernel: z.string(),
  launched: sourcePlace,
  /** Bytes of the `__shared__` variables of its body. */
  staticShared: z.int(),
  /** Block sizes, the one with most launches first. */
  configurations: z.array(configuration),
  /** Different sectors of global memory that loads and stores touch, added up over launches; atomics are both. */
  sectorsRead: z.int(),
  sectorsWritten: z.int(),
  lines: z.array(gpuLineCounts),
  total: gpuCountSums,
  /** Floating-point operations for each byte that moves to or from global memory; null where one of the two is not known or 0. */
  arithmeticIntensity: z.number().nullable(),
  /** Of the first configuration, if registers do not limit it: they are known to ptxas only. */
  occupancy: z.array(occupancy),
  /** Of the average launch, for GPU models, if registers do not limit it; empty where operations are not known. */
  estimates: z.array(gpuEstimate),
})
export type GpuKernelCounts = z.infer<typeof gpuKernelCounts>

export const gpuCounts = z.object({
  basis: z.string(),
  launches: z.int(),
  /** Accesses that were not counted, because a warp made too many without coming together. */
  missedAccesses: z.int(),
  kernels: z.array(gpuKernelCounts),
})
export type GpuCounts = z.infer<typeof gpuCounts>
