import { z } from 'zod'

/** torch.autograd.gradcheck's options, and gradgradcheck's, by their names there. */
export const gradcheckOptionFields = {
  /** The step of finite differences. */
  eps: z.number().positive(),
  atol: z.number().nonnegative(),
  rtol: z.number().nonnegative(),
  /** How far two runs of one backward may differ. */
  nondet_tol: z.number().nonnegative(),
  check_undefined_grad: z.boolean(),
  check_grad_dtypes: z.boolean(),
  check_batched_grad: z.boolean(),
  check_batched_forward_grad: z.boolean(),
  check_forward_ad: z.boolean(),
  check_backward_ad: z.boolean(),
  fast_mode: z.boolean(),
  /** Elements that a sparse input does not specify have no gradient; otherwise they count as zeros that can change. */
  masked: z.boolean(),
  /** The other options are for gradgradcheck only; these two replace check_forward_ad and check_backward_ad there. */
  check_fwd_over_rev: z.boolean(),
  check_rev_over_rev: z.boolean(),
  gen_non_contig_grad_outputs: z.boolean(),
}

const fields = gradcheckOptionFields

/** The same with torch's defaults. */
export const gradcheckOptions = z.strictObject({
  eps: fields.eps.default(1e-6),
  atol: fields.atol.default(1e-5),
  rtol: fields.rtol.default(1e-3),
  nondet_tol: fields.nondet_tol.default(0),
  check_undefined_grad: fields.check_undefined_grad.default(true),
  check_grad_dtypes: fields.check_grad_dtypes.default(false),
  check_batched_grad: fields.check_batched_grad.default(false),
  check_batched_forward_grad: fields.check_batched_forward_grad.default(false),
  check_forward_ad: fields.check_forward_ad.default(false),
  check_backward_ad: fields.check_backward_ad.default(true),
  fast_mode: fields.fast_mode.default(false),
  masked: fields.masked.default(false),
  check_fwd_over_rev: fields.check_fwd_over_rev.default(false),
  check_rev_over_rev: fields.check_rev_over_rev.default(true),
  gen_non_contig_grad_outputs: fields.gen_non_contig_grad_outputs.default(false),
})
export type GradcheckOptions = z.infer<typeof gradcheckOptions>
