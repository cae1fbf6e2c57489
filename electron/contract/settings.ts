import { z } from 'zod'

/** What a user chose for all projects; kept as settings.json in the cache folder. Unknown keys are kept. */
export const settings = z.looseObject({
  /** Absolute path of a C++ compiler; "" lets Opsmith choose. */
  compiler: z.string().default(''),
  /** Absolute path of a libtorch folder (with include/ and lib/); "" lets Opsmith choose. */
  libtorch: z.string().default(''),
  theme: z.enum(['system', 'dark', 'light', 'contrast']).default('system'),
  buildOnSave: z.boolean().default(true),
  fontSize: z.number().min(8).max(32).default(13),
  /** Seconds a call may run before its op host is ended. */
  callTimeout: z.number().positive().default(60),
  /** Bytes the op host may hold; 0: three quarters of the machine's memory. */
  memoryLimit: z.number().nonnegative().default(0),
  /** Folders opened before, newest first. */
  recentProjects: z.array(z.string()).default([]),
})
export type Settings = z.infer<typeof settings>
