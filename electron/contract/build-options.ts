import { z } from 'zod'

export const optimization = z.enum(['O0', 'O1', 'O2', 'O3'])
export type Optimization = z.infer<typeof optimization>

/** How sources are compiled; each is the user's, or a project's own in its place. */
export const buildOptionFields = {
  /** O2 gives the times that users of an operator will see. */
  optimization,
  /** -ffast-math: sums in any order, no NaN, no infinity; for kernels, --use_fast_math. */
  fastMath: z.boolean(),
  /** -march=native: the library runs on processors like this one only. */
  marchNative: z.boolean(),
  /** -DNDEBUG -fwrapv, as in extensions that setuptools builds: without assert(), and sums of integers may wrap. */
  setuptoolsFlags: z.boolean(),
}
const filled = z.object(buildOptionFields)
export type BuildOptionValues = z.infer<typeof filled>

export const defaultBuildOptions: BuildOptionValues = {
  optimization: 'O2',
  fastMath: false,
  marchNative: false,
  setuptoolsFlags: true,
}
