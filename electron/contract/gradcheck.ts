import { z } from 'zod'

import { argument, inputSpec } from './manifest'
import { programSource } from './run'
import { dtype, real, tensorHandle } from './tensor'

/** torch.autograd.gradcheck's options, and gradgradcheck's, with their names and defaults. */
export const gradcheckOptions = z.strictObject({
  /** The step of finite differences. */
  eps: z.number().positive().default(1e-6),
  atol: z.number().nonnegative().default(1e-5),
  rtol: z.number().nonnegative().default(1e-3),
  /** How far two runs of one backward may differ. */
  nondet_tol: z.number().nonnegative().default(0),
  check_undefined_grad: z.boolean().default(true),
  check_grad_dtypes: z.boolean().default(false),
  check_batched_grad: z.boolean().default(false),
  check_batched_forward_grad: z.boolean().default(false),
  check_forward_ad: z.boolean().default(false),
  check_backward_ad: z.boolean().default(true),
  fast_mode: z.boolean().default(false),
  /** The rest is gradgradcheck's alone, where these two stand for check_forward_ad and check_backward_ad. */
  check_fwd_over_rev: z.boolean().default(false),
  check_rev_over_rev: z.boolean().default(true),
  gen_non_contig_grad_outputs: z.boolean().default(false),
})
export type GradcheckOptions = z.infer<typeof gradcheckOptions>

export const gradcheckRequest = z.object({
  /** An operator, or a function of the program. */
  op: z.string().min(1),
  args: z.array(argument),
  inputs: z.record(z.string(), inputSpec),
  program: programSource.optional(),
  /** gradgradcheck: gradients of gradients. */
  secondOrder: z.boolean(),
  /** Of every floating or complex input, in place of its own. */
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
  inputIndex: z.array(z.number().int()),
  outputIndex: z.array(z.number().int()),
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
  /** What the pattern of a mismatch tells, in a sentence; "" when nothing. */
  cause: z.string(),
  /** "real" or "imaginary", of complex outputs (forward: inputs); "" otherwise. */
  part: z.enum(['', 'real', 'imaginary']),
  /** Positions in the report's lists; absent when the finding is about all. */
  input: z.number().int().optional(),
  output: z.number().int().optional(),
  /** Elements of the Jacobian outside the tolerance, and all of them; 0 where none were compared. */
  mismatched: z.number().int(),
  total: z.number().int(),
  worst: worstElement.optional(),
  /** With keepJacobians: [elements of the input, elements of the output]. */
  analytical: tensorHandle.optional(),
  numerical: tensorHandle.optional(),
  error: tensorHandle.optional(),
})
export type GradcheckFinding = z.infer<typeof gradcheckFinding>

export const gradcheckTensor = z.object({
  name: z.string(),
  shape: z.array(z.number().int()),
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
  calls: z.number().int(),
  inputs: z.array(gradcheckTensor),
  outputs: z.array(gradcheckTensor),
  findings: z.array(gradcheckFinding),
})
export type GradcheckReport = z.infer<typeof gradcheckReport>
