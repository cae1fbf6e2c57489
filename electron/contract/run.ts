import { z } from 'zod'

import { argument, inputSpec } from './manifest'
import { outputValue, real, tensorHandle } from './tensor'

/** A TorchScript file; `file` is what messages name. */
export const programSource = z.object({ file: z.string(), source: z.string() })
export type ProgramSource = z.infer<typeof programSource>

export const programFunction = z.object({
  name: z.string(),
  schema: z.string(),
  line: z.int(),
})
export type ProgramFunction = z.infer<typeof programFunction>

export const runRequest = z.object({
  op: z.string().min(1),
  args: z.array(argument),
  inputs: z.record(z.string(), inputSpec),
  reference: z.string().optional(),
  rtol: z.number().optional(),
  atol: z.number().optional(),
  program: programSource.optional(),
})
export type RunRequest = z.infer<typeof runRequest>

/** assert_close over one output: |actual - expected| <= atol + rtol * |expected|, NaN equal to nothing. */
export const comparison = z.object({
  /** Which output; -1 for a mismatch of the whole (number of outputs, types). */
  output: z.int(),
  matches: z.boolean(),
  rtol: z.number(),
  atol: z.number(),
  mismatched: z.int(),
  total: z.int(),
  maxAbsolute: real,
  maxRelative: real,
  /** Where the largest absolute error is, with both values there. */
  index: z.array(z.int()),
  actual: real,
  expected: real,
  /** In words: what differs when shapes or dtypes do; "" when all is well. */
  message: z.string(),
  /** actual - expected, as a tensor to look at; absent when the shapes differ. */
  difference: tensorHandle.optional(),
})
export type Comparison = z.infer<typeof comparison>

export const runReport = z.object({
  op: z.string(),
  /** Wall time of the one call, inputs already made; a first impression, not a measurement. */
  seconds: z.number(),
  inputs: z.array(z.object({ name: z.string(), value: outputValue })),
  outputs: z.array(outputValue),
  comparisons: z.array(comparison),
  /** Set when the reference itself could not be evaluated. */
  referenceError: z.string().optional(),
})
export type RunReport = z.infer<typeof runReport>
