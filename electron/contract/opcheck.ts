import { z } from 'zod'

import { argument, inputSpec } from './manifest'
import { opcheckCheck } from './opcheck-names'
import type { OpcheckCheck } from './opcheck-names'
import { workbenchError } from './outcome'
import { programSource } from './run'

export { opcheckCheck }
export type { OpcheckCheck }

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

/** With the line to look at, of what failed: where the kernel that it is about is defined or registered. */
export const placedFinding = opcheckFinding.extend({
  /** Absolute; absent of what did not fail, and where no source is known, as of libtorch's own kernels. */
  file: z.string().optional(),
  line: z.number().int().optional(),
})
export type PlacedFinding = z.infer<typeof placedFinding>

/** In the order of opcheckCheck. */
export const placedOpcheckReport = opcheckReport.extend({ findings: z.array(placedFinding) })
export type PlacedOpcheckReport = z.infer<typeof placedOpcheckReport>

/** How the operator checks of one operator went. */
export const opcheckOutcome = z.object({
  /** Its position among those that were checked. */
  entry: z.number().int(),
  /** The call: "my_op::f(x, y)". */
  name: z.string(),
  op: z.string(),
  expect: z.enum(['passed', 'failed']),
  /** failed: at least one check did; error: it came to no verdict, `error` says why. */
  verdict: z.enum(['passed', 'failed', 'error']),
  /** The verdict is the expected one; an error never is. */
  asExpected: z.boolean(),
  report: placedOpcheckReport.optional(),
  error: workbenchError.optional(),
})
export type OpcheckOutcome = z.infer<typeof opcheckOutcome>
