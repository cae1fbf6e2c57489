import { z } from 'zod'

/** What the user is shown once, at the start of the window. */
export const startNews = z.object({
  /** What an earlier or newer version wrote and this one cannot read, a sentence for each file. */
  unread: z.array(z.string()),
})
export type StartNews = z.infer<typeof startNews>
