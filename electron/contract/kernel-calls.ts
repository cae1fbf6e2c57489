import { z } from 'zod'

import { gpuReport } from './gpu-findings'

/** What the window asks about kernels that are checked while they run on the virtual GPU. */
export const kernelCalls = {
  /** What checked kernels have done since the last build. */
  'kernels.report': { input: z.object({ folder: z.string() }), output: gpuReport },
  /** Whether builds make kernels that report mistakes: from the next build on, until the project closes. */
  'kernels.check': {
    input: z.object({ folder: z.string(), isOn: z.boolean() }),
    output: z.object({}),
  },
} as const

export const kernelEvents = {
  /** As kernels.report: checked kernels have run, or a new build was loaded and nothing counts any more. */
  'kernels.reported': z.object({ folder: z.string(), report: gpuReport }),
} as const
