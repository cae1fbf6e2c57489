import { z } from 'zod'

import { timingDirection } from './timing-names'
import { argument, inputName, inputSpec } from './manifest-values'
import { dtype } from './tensor'

/** An input of a benchmark: its shape may name sizes, as in `["B", "N", 3]`. */
export const timingInput = inputSpec.extend({
  shape: z
    .array(
      z.union([z.int().nonnegative(), inputName], {
        error: 'expected a size, or the name of one of the benchmark’s `sizes`',
      }),
    )
    .optional(),
})
export type TimingInput = z.infer<typeof timingInput>

/** What an operator is timed against: another operator or function of the program, or an expression. */
export const timingOther = z.union([
  /** TorchScript over the inputs' names. */
  z.string().min(1),
  z.strictObject({ op: z.string().min(1), args: z.array(argument).optional() }),
])
export type TimingOther = z.infer<typeof timingOther>

/**
 * A number worked out from sizes: `2 * N * K`, `4 * B * N`. Digits, the names of `sizes`, + - * / ( )
 * and `**`; also `numel(x)` and `nbytes(x)` of an input.
 */
const formula = z.string().min(1)

/** A benchmark: of an operator, libtorch's included, or of a function of the program. */
export const timingEntry = z.strictObject({
  /** For people; by default the call itself. */
  name: z.string().optional(),
  op: z.string().min(1),
  args: z.array(argument).default([]),
  /** Whole inputs in place of those of the same name. */
  inputs: z.record(inputName, timingInput).optional(),
  /** By default forward, and backward and both where an input requires grad. */
  directions: z.array(timingDirection).min(1).optional(),
  against: z.array(timingOther).optional(),
  /** Each value is a point of a sweep; several lists: every combination. */
  sizes: z.record(inputName, z.array(z.int().min(0)).min(1)).optional(),
  dtypes: z.array(dtype).min(1).optional(),
  threads: z.array(z.int().min(1).max(1024)).min(1).optional(),
  /** Also with caches flushed before every call. By default on a GPU, and not on the CPU. */
  cold: z.boolean().optional(),
  /**
   * Other values, in other memory, for every few samples (the default); false: the same inputs in the same
   * memory for all, as most other timers have it.
   */
  fresh: z.boolean().optional(),
  /** Bytes that one forward moves, and floating point operations it makes. */
  bytes: formula.optional(),
  flops: formula.optional(),
  /** Seconds of samples for each row. */
  seconds: z.number().positive().max(600).optional(),
  rtol: z.number().nonnegative().optional(),
  atol: z.number().nonnegative().optional(),
  timeout: z.number().positive().optional(),
})
export type TimingEntry = z.infer<typeof timingEntry>
