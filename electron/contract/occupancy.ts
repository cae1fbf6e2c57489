import { z } from 'zod'

/** Architectures whose multiprocessors are known. */
export const occupancyArchitectures = z.enum([
  'sm_75',
  'sm_80',
  'sm_86',
  'sm_87',
  'sm_89',
  'sm_90',
  'sm_100',
  'sm_120',
])
export type OccupancyArchitecture = z.infer<typeof occupancyArchitectures>

/** What a multiprocessor has too little of for one block more. */
export const occupancyLimits = z.enum(['warps', 'registers', 'shared-memory', 'blocks'])
export type OccupancyLimit = z.infer<typeof occupancyLimits>

/** What a block needs of a multiprocessor. */
export const blockNeeds = z.object({
  /** Threads of a block. */
  threads: z.int().min(0),
  /** Of one thread; undefined where no compiler for the GPU has said it: registers then limit nothing. */
  registers: z.int().min(0).optional(),
  /** Bytes of `__shared__` variables. */
  staticShared: z.int().min(0),
  /** Bytes that the launch adds. */
  dynamicShared: z.int().min(0),
})
export type BlockNeeds = z.infer<typeof blockNeeds>

export const occupancy = z.object({
  architecture: occupancyArchitectures,
  /** Blocks that a multiprocessor runs at once; 0: such a block cannot run. */
  blocks: z.int(),
  warps: z.int(),
  /** Part of the warps that a multiprocessor can run, 0 to 1. */
  occupancy: z.number(),
  /** What allows no more blocks, several if they are equal. */
  limitedBy: z.array(occupancyLimits),
})
export type Occupancy = z.infer<typeof occupancy>

const curvePoint = z.object({
  /** Threads, registers of a thread, or bytes of shared memory. */
  value: z.int(),
  blocks: z.int(),
  occupancy: z.number(),
})
export type OccupancyPoint = z.infer<typeof curvePoint>

/** How occupancy changes if one of a block's needs does. */
export const occupancyCurves = z.object({
  threads: z.array(curvePoint),
  /** Empty where the registers of a thread are not known. */
  registers: z.array(curvePoint),
  /** Static and dynamic shared memory together. */
  sharedMemory: z.array(curvePoint),
})
export type OccupancyCurves = z.infer<typeof occupancyCurves>
