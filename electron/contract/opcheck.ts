import { z } from 'zod'

import { argument, inputSpec } from './manifest'
import { programSource } from './run'

/** What torch.library.opcheck looks at, byte for byte, and what it does not look at. */
export const opcheckCheck = z.enum([
  'mutation', // no input is written that the schema does not declare
  'aliasing', // outputs share no memory that the schema does not declare
  'registration', // which dispatch keys have no kernel, and what a user feels of it
  'autograd_registration', // as opcheck's test_autograd_registration
  'gradient_lost', // an input requires grad, the output depends on it and requires none
  'meta', // the Meta kernel gives the sizes, strides and dtypes of the real one
  'determinism', // the same input gives the same bits
  'layouts', // transposed, stepped, offset, expanded, channels-last inputs, lazy views
  'small_sizes', // no elements, one element
  'dtypes', // which are accepted, and whether the answer agrees with float64's
  'precision', // float64 is not computed in float32
  'broadcasting', // a size of 1 in place of an input's own
  'nan', // NaN reaches the outputs that depend on it
  'grad_modes', // no_grad, inference_mode, any mix of requires_grad
  'threads', // called from several threads at once
  'unwritten', // every element of the outputs is written
  'writes_outside', // nothing is written beside a tensor
  'reads_outside', // nothing is read past an input's ends
  'leaks', // memory after many calls
  'large_sizes', // past 2^31 elements; only when asked for by name
])
export type OpcheckCheck = z.infer<typeof opcheckCheck>

export const opcheckRequest = z.object({
  /** An operator, or a function of the program. */
  op: z.string().min(1),
  args: z.array(argument),
  inputs: z.record(z.string(), inputSpec),
  program: programSource.optional(),
  /** Empty: all but those that must be asked for. */
  checks: z.array(opcheckCheck).default([]),
  /** How many other shapes are tried; equal sizes of the inputs stay equal. */
  shapes: z.number().int().min(0).max(1000).default(6),
  seed: z.number().int().nonnegative().default(0),
})
export type OpcheckRequest = z.infer<typeof opcheckRequest>

export const opcheckFinding = z.object({
  check: opcheckCheck,
  status: z.enum(['passed', 'failed', 'skipped']),
  /** What was found; why it was skipped; what was looked at, when it passed. */
  reason: z.string(),
  /** What to do about a failure. */
  advice: z.string(),
  /** The tensor it is about, "" when none. */
  input: z.string(),
  output: z.number().int().optional(),
  /** Of an element of that tensor. */
  index: z.array(z.number().int()),
  /** The smallest inputs that show it: "x float64[1, 2]"; "" when the given ones do. */
  shownBy: z.string(),
})
export type OpcheckFinding = z.infer<typeof opcheckFinding>

export const opcheckReport = z.object({
  op: z.string(),
  /** No check failed. */
  ok: z.boolean(),
  seconds: z.number(),
  findings: z.array(opcheckFinding),
})
export type OpcheckReport = z.infer<typeof opcheckReport>
