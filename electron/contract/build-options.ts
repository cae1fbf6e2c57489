import { z } from 'zod'

export const optimization = z.enum(['O0', 'O1', 'O2', 'O3'])
export type Optimization = z.infer<typeof optimization>

/** How sources are compiled; each is the user's, or a project's own in its place. */
export const buildOptionFields = {
  optimization: optimization.describe(
    'Optimization level of builds in Opsmith. For realistic times, use the level that your users build with.',
  ),
  fastMath: z
    .boolean()
    .describe(
      '-ffast-math: the compiler may reorder sums, and assumes that no value is NaN or infinite. CUDA kernels get --use_fast_math.',
    ),
  marchNative: z
    .boolean()
    .describe(
      '-march=native: the library runs only on processors like the processor of this machine.',
    ),
  setuptoolsFlags: z
    .boolean()
    .describe(
      '-DNDEBUG -fwrapv, the flags of setuptools: assert() does nothing, and signed integers wrap on overflow.',
    ),
}
const filled = z.object(buildOptionFields)
export type BuildOptionValues = z.infer<typeof filled>

export const defaultBuildOptions: BuildOptionValues = {
  optimization: 'O2',
  fastMath: false,
  marchNative: false,
  setuptoolsFlags: true,
}
