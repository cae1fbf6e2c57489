import { z } from 'zod'

/**
 * What runs CUDA code: `auto` is the virtual GPU if libtorch is a CPU build and this machine lacks a GPU or nvcc, else
 * the GPU of this machine; `hardware` is never the virtual one; `virtual` is always it.
 */
export const gpuChoice = z.enum(['auto', 'hardware', 'virtual'])
export type GpuChoice = z.infer<typeof gpuChoice>

/** "cuda:0 (virtual GPU)": a device as people are shown it. */
export function deviceText(device: string, isVirtual: boolean): string {
  return isVirtual && device.startsWith('cuda') ? `${device} (virtual GPU)` : device
}
