import { z } from 'zod'

import { assemblyForm, assemblyListing } from '../../../electron/contract/assembly'
import type { SavedChoice } from '../../store/feature'
import { assemblyStore } from './store'

const fields = z.object({
  form: assemblyForm,
  /** A form that cannot be listed this time still has a switch that leads back. */
  forms: assemblyListing.shape.forms,
  filter: z.object({
    addresses: z.boolean(),
    directives: z.boolean(),
    labels: z.boolean(),
    inlined: z.boolean(),
  }),
  against: z.string(),
  base: z.string().default(''),
  showsRemarks: z.boolean(),
})

/** What the bar says. Which function is shown follows the cursor, whose place is kept with its file. */
export const assemblyChoice: SavedChoice = {
  stores: [assemblyStore],
  read: () => {
    const { form, forms, filter, against, base, showsRemarks } = assemblyStore.getState()
    return { form, forms, filter, against, base, showsRemarks }
  },
  restore: (saved) => {
    const parsed = fields.safeParse(saved)
    if (parsed.success) assemblyStore.setState(parsed.data)
  },
}
