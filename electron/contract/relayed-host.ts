import { z } from 'zod'

/** The first frame that a relay gets: the op host that it starts on its node. */
export const relayedLaunch = z.object({
  version: z.string(),
  entry: z.string(),
  launcher: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
})
export type RelayedLaunch = z.infer<typeof relayedLaunch>

/** The first byte of a relay's frame says what follows. The last byte is a newline. */
export const relayPart = {
  /** JSON of `relayedNode`, before all else. */
  node: 0,
  message: 1,
  stdout: 2,
  stderr: 3,
  /** JSON of `relayedEnd`, after all else. */
  end: 4,
} as const

export const relayedNode = z.object({ node: z.string() })
export const relayedEnd = z.object({ code: z.number().nullable(), signal: z.string().nullable() })
