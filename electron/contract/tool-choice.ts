import { z } from 'zod'

import { gpuChoice } from './gpu-choice'

/** What builds of a project use instead of what is chosen for all; "" follows that. */
export const toolChoice = z.object({
  compiler: z.string(),
  libtorch: z.string(),
  gpu: z.union([gpuChoice, z.literal('')]),
})
export type ToolChoice = z.infer<typeof toolChoice>
