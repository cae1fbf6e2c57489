import { z } from 'zod'

import { kernelVariant } from '../../../electron/contract/build'
import { occupancyArchitectures } from '../../../electron/contract/occupancy'
import type { SavedChoice } from '../../store/feature'
import { metrics } from './metrics'
import { kernelsStore } from './store'

const fields = z.object({
  variant: kernelVariant,
  metric: z.enum(metrics).nullable(),
  architecture: occupancyArchitectures,
  model: z.string(),
})

/** What kernels are compiled for, and what is shown of them. What they reported is not kept: nobody knows what the sources were. */
export const kernelsChoice: SavedChoice = {
  stores: [kernelsStore],
  read: () => {
    const { variant, metric, architecture, model } = kernelsStore.getState()
    return { variant, metric, architecture, model }
  },
  restore: (saved) => {
    const parsed = fields.safeParse(saved)
    if (parsed.success) kernelsStore.setState(parsed.data)
  },
}
