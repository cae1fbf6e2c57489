import type { GpuChoice } from '../../../electron/contract/gpu-choice'

/** What runs CUDA code, in the words of Settings and Doctor. */
export const gpuChoices: readonly { value: GpuChoice; label: string }[] = [
  { value: 'auto', label: 'The GPU of this machine, else the virtual GPU' },
  { value: 'hardware', label: 'Only the GPU of this machine' },
  { value: 'virtual', label: 'Always the virtual GPU' },
]
