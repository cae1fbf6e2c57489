import { z } from 'zod'

/** both: a forward and the backward of its graph. */
export const benchDirection = z.enum(['forward', 'backward', 'both'])
export type BenchDirection = z.infer<typeof benchDirection>
