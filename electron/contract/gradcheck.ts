import { z } from 'zod'

import { gradcheckOptions } from './gradcheck-options'
import type { GradcheckOptions } from './gradcheck-options'
import { argument, inputSpec } from './manifest'
import { workbenchError } from './outcome'
import { programSource } from './run'
import { dtype, real, tensorHandle } from './tensor'

export { gradcheckOptions }
export type { GradcheckOptions }

export const gradcheckRequest = z.object({
  /** An operator, or a function of the program. */
  op: z.string().min(1),
  args: z.array(argument),
  inputs: z.record(z.string(), inputSpec),
  program: programSource.optional(),
  /** gradgradcheck: gradients of gradients. */
  secondOrder: z.boolean(),
  /** The dtype of every floating or complex input, instead of its own. */
  dtype: dtype.optional(),
  options: gradcheckOptions,
  /** Keeps the Jacobians as tensors to look at. */
  keepJacobians: z.boolean(),
})
export type GradcheckRequest = z.infer<typeof gradcheckRequest>

/** In the order in which gradcheck makes them. */
export const gradcheckCheck = z.enum([
  'inputs', // one requires grad, none has a stride of 0
  'outputs', // the function runs; its outputs are dense
  'no_differentiable_outputs', // without them, the numerical gradient is zero
  'backward', // Jacobians by backward and by central differences: one finding an output and input
  'gradient_size', // gradients have their inputs' shapes
  'gradient_dtype', // and dtypes
  'reentrant', // the same backward twice gives the same
  'forward', // Jacobians by forward mode and by central differences
  'undefined_tangent', // an input without a tangent counts as one with a zero tangent
  'batched_forward_grad', // forward mode under vmap
  'batched_grad', // backward under vmap
  'zero_grad_output', // gradients of zero are zero
  'undefined_grad', // undefined gradients of outputs are taken as zero
])
export type GradcheckCheck = z.infer<typeof gradcheckCheck>

/** passed and failed; skipped: not asked for, or not possible here; not reached: an earlier one failed. */
export const checkStatus = z.enum(['passed', 'failed', 'skipped', 'not reached'])
export type CheckStatus = z.infer<typeof checkStatus>

/** The element of a Jacobian that is furthest outside its tolerance, or nearest to it. */
export const worstElement = z.object({
  inputIndex: z.array(z.int()),
  outputIndex: z.array(z.int()),
  /** Complex: absolute values; the texts are exact. */
  analytical: real,
  numerical: real,
  analyticalText: z.string(),
  numericalText: z.string(),
  absolute: real,
  relative: real,
})
export type WorstElement = z.infer<typeof worstElement>

export const gradcheckFinding = z.object({
  check: gradcheckCheck,
  status: checkStatus,
  /** Of a failure or a skip; "" of what passed with nothing to say. */
  reason: z.string(),
  /** The cause that the pattern of a mismatch shows, in a sentence; "" if there is none. */
  cause: z.string(),
  /** "real" or "imaginary", of complex outputs (forward: inputs); "" otherwise. */
  part: z.enum(['', 'real', 'imaginary']),
  /** fast_mode: random projections of the Jacobians were compared, not their elements. */
  projected: z.boolean(),
  /** `reason` already gives `mismatched` and `total`. */
  countsInReason: z.boolean(),
  /** Positions in the report's lists; absent when the finding is about all. */
  input: z.int().optional(),
  output: z.int().optional(),
  /** Elements of the Jacobian outside the tolerance, and all of them; 0 where none were compared. */
  mismatched: z.int(),
  total: z.int(),
  worst: worstElement.optional(),
  /** Largest absolute error of all elements; that of the worst one can be smaller, where its tolerance is too. */
  maxAbsolute: real.optional(),
  /** With keepJacobians: [elements of the input, elements of the output]. */
  analytical: tensorHandle.optional(),
  numerical: tensorHandle.optional(),
  error: tensorHandle.optional(),
})
export type GradcheckFinding = z.infer<typeof gradcheckFinding>

export const gradcheckTensor = z.object({
  name: z.string(),
  shape: z.array(z.int()),
  dtype: z.string(),
  requiresGrad: z.boolean(),
})
export type GradcheckTensor = z.infer<typeof gradcheckTensor>

export const gradcheckReport = z.object({
  op: z.string(),
  /** Whether torch.autograd.gradcheck would return True: no check failed. */
  ok: z.boolean(),
  seconds: z.number(),
  /** How often the function was called. */
  calls: z.int(),
  inputs: z.array(gradcheckTensor),
  outputs: z.array(gradcheckTensor),
  findings: z.array(gradcheckFinding),
})
export type GradcheckReport = z.infer<typeof gradcheckReport>

/** A gradcheck of one build, as its history keeps it. */
export const gradcheckPoint = z.object({
  /** Of the build: equal keys mean equal libraries. */
  build: z.string(),
  /** Milliseconds since 1970. */
  time: z.number(),
  ok: z.boolean(),
  /** Largest absolute error of all Jacobians; null where none was compared. */
  error: real.nullable(),
})
export type GradcheckPoint = z.infer<typeof gradcheckPoint>

/** A report, and the result of the same check for the previous build. */
export const checkedReport = gradcheckReport.extend({
  /** Largest absolute error of all Jacobians; null where none was compared. */
  error: real.nullable(),
  /** Of the last build that was another one; null when there is none. */
  before: gradcheckPoint.nullable(),
})
export type CheckedReport = z.infer<typeof checkedReport>

/** How one entry of opsmith.json's `gradchecks` went. */
export const gradcheckOutcome = z.object({
  /** Its position among the `gradchecks` that were asked for. */
  entry: z.int(),
  /** Its name in opsmith.json, else the call and its options. */
  name: z.string(),
  op: z.string(),
  expect: z.enum(['passed', 'failed']),
  /** passed and failed are gradcheck's verdicts; error: it came to none, `error` says why. */
  verdict: z.enum(['passed', 'failed', 'error']),
  /** The verdict is the expected one; an error never is. */
  asExpected: z.boolean(),
  report: checkedReport.optional(),
  error: workbenchError.optional(),
})
export type GradcheckOutcome = z.infer<typeof gradcheckOutcome>

/** Complex inputs take the complex type of that precision. */
export const sweepDtype = dtype.extract(['float64', 'float32', 'float16', 'bfloat16'])
export type SweepDtype = z.infer<typeof sweepDtype>

/** gradcheck with one step, in one precision. */
export const sweepPoint = z.object({
  dtype: sweepDtype,
  eps: z.number().positive(),
  ok: z.boolean(),
  /** Largest |analytical - numerical| of all Jacobians; NaN where one is not a number. */
  maxAbsolute: real,
  /** maxAbsolute over the largest magnitude in the Jacobian it is from. */
  maxRelative: real,
})
export type SweepPoint = z.infer<typeof sweepPoint>

/**
 * Which error is larger at a step: truncation falls with eps, rounding grows as eps falls; flat: eps hardly matters, so
 * the error has another cause, or there is none.
 */
export const sweepBranch = z.enum(['truncation', 'rounding', 'flat'])
export type SweepBranch = z.infer<typeof sweepBranch>

export const sweepCurve = z.object({
  dtype: sweepDtype,
  /** From the largest eps to the smallest. */
  points: z.array(sweepPoint.extend({ branch: sweepBranch })),
  /** Where in `points` the error is smallest; absent when there are none. */
  recommended: z.int().optional(),
  /** Why there are no points: the operator takes no float32, say; "" otherwise. */
  reason: z.string(),
})
export type SweepCurve = z.infer<typeof sweepCurve>

export const sweepReport = z.object({
  op: z.string(),
  seconds: z.number(),
  curves: z.array(sweepCurve),
})
export type SweepReport = z.infer<typeof sweepReport>

/** The point that a random search found furthest outside its tolerance, else the one with the largest error. */
export const searchReport = z.object({
  op: z.string(),
  seconds: z.number(),
  /** Points that were checked; fewer than requested if one ended the op host. */
  tried: z.int(),
  /** How many of them failed. */
  failed: z.int(),
  /** Of the inputs that were drawn, at the worst point. */
  seeds: z.record(z.string(), z.int()),
  /** The inputs of that point, to check it again or to keep it. */
  inputs: z.record(z.string(), inputSpec),
  /** |analytical - numerical| - (atol + rtol |numerical|) there; Infinity when a check without a number failed. */
  excess: real,
  /** Largest absolute error there; null where no Jacobian was compared. */
  maxAbsolute: real.nullable(),
  report: gradcheckReport.optional(),
  /** The worst point: the op host crashed there. */
  error: workbenchError.optional(),
})
export type SearchReport = z.infer<typeof searchReport>
