import { z } from 'zod'

/** both: a forward and the backward of its graph. */
export const timingDirection = z.enum(['forward', 'backward', 'both'])
export type TimingDirection = z.infer<typeof timingDirection>
