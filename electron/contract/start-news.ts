import { z } from 'zod'

/** What the user is shown once, at the start of the window. */
export const startNews = z.object({
  /** What an earlier or newer version wrote and this one cannot read, a sentence for each file. */
  unread: z.array(z.string()),
  /** How the session before ended, if it was not closed: a sentence, and a local file with a report. */
  unexpectedEnd: z.object({ message: z.string(), report: z.string() }).nullable(),
  /** Markdown of what an update has brought; "" where there was none. */
  releaseNotes: z.string(),
})
export type StartNews = z.infer<typeof startNews>

export const startNewsCalls = {
  /** What the window shows once, after its start. */
  'app.news': { input: z.object({}), output: startNews },
  /** Shows the report of the last unexpected end in the system's file manager. */
  'app.showReport': { input: z.object({}), output: z.object({}) },
} as const
