import { z } from 'zod'

import type { SavedChoice } from '../../store/feature'
import { kernelsStore } from './store'

const fields = z.object({ isOn: z.boolean() })

/** Whether kernels are checked. What was found is not kept: nobody knows what the sources were. */
export const kernelsChoice: SavedChoice = {
  store: kernelsStore,
  read: () => ({ isOn: kernelsStore.getState().isOn }),
  restore: (saved) => {
    const parsed = fields.safeParse(saved)
    if (parsed.success) kernelsStore.setState(parsed.data)
  },
}
