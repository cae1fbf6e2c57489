import { z } from 'zod'

export const versionCalls = {
  /** The one address that a check for a newer version reads; "" if this build and the settings have none. */
  'version.address': { input: z.object({}), output: z.object({ address: z.string() }) },
} as const

export const versionEvents = {
  /** A version that is newer than this one, with the address that names it. */
  'version.found': z.object({ version: z.string(), own: z.string(), address: z.string() }),
} as const
