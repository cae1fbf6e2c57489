import { z } from 'zod'

/**
 * What runs CUDA code: `auto` is the GPU of this machine where libtorch can use one, else the virtual GPU; `hardware`
 * is never the virtual one; `virtual` is always it.
 */
export const gpuChoice = z.enum(['auto', 'hardware', 'virtual'])
export type GpuChoice = z.infer<typeof gpuChoice>
