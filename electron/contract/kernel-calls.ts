import { z } from 'zod'

import { kernelVariant } from './build'
import { gpuCounts } from './gpu-counts'
import { gpuReport } from './gpu-findings'
import { blockNeeds, occupancy, occupancyArchitectures, occupancyCurves } from './occupancy'

/** What the window asks about kernels that are checked or counted while they run on the virtual GPU. */
export const kernelCalls = {
  /** What checked and counted kernels have done since the last build. */
  'kernels.reports': {
    input: z.object({ folder: z.string() }),
    output: z.object({ report: gpuReport, counts: gpuCounts }),
  },
  /** What builds compile kernels for: from the next build on, until the project closes. */
  'kernels.use': {
    input: z.object({ folder: z.string(), variant: kernelVariant }),
    output: z.object({}),
  },
  /** How many blocks a multiprocessor runs at once, and how that changes with what a block needs. */
  'kernels.occupancy': {
    input: z.object({ architecture: occupancyArchitectures, needs: blockNeeds }),
    output: z.object({ occupancy, curves: occupancyCurves }),
  },
} as const

export const kernelEvents = {
  /** Checked kernels have run, or a new build was loaded and nothing counts any more. */
  'kernels.reported': z.object({ folder: z.string(), report: gpuReport }),
  /** The same for counted kernels. */
  'kernels.counted': z.object({ folder: z.string(), counts: gpuCounts }),
} as const
