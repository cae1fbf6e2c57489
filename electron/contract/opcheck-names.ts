import { z } from 'zod'

/** What torch.library.opcheck looks at, byte for byte, and what it does not look at. */
export const opcheckCheck = z.enum([
  'mutation', // no input is written that the schema does not declare, nor grad_output by backward
  'aliasing', // outputs share no memory that the schema does not declare
  'registration', // which dispatch keys have no kernel, and what a user feels of it
  'autograd_registration', // as opcheck's test_autograd_registration
  'gradient_lost', // an input requires grad, the output depends on it and requires none
  'meta', // the Meta kernel gives the sizes, strides and dtypes of the real one
  'determinism', // the same input gives the same bits
  'layouts', // transposed, stepped, offset, expanded, channels-last inputs, lazy views; such a grad_output
  'small_sizes', // no elements, one element
  'dtypes', // which are accepted, and whether the answer agrees with float64's
  'precision', // float64 is not computed in float32, nor its gradient
  'broadcasting', // a size of 1 in place of an input's own
  'nan', // NaN reaches the outputs that depend on it
  'grad_modes', // no_grad, inference_mode, any mix of requires_grad
  'threads', // called from several threads at once
  'unwritten', // every element of the outputs is written
  'writes_outside', // nothing is written beside a tensor
  'reads_outside', // nothing is read past an input's ends
  'leaks', // memory after many calls
  'address_sanitizer', // what ASan finds in the same calls; only when asked for
  'undefined_behaviour_sanitizer', // what UBSan finds in them; only when asked for
  'large_sizes', // past 2^31 elements; only when asked for by name
])
export type OpcheckCheck = z.infer<typeof opcheckCheck>

/** Made of a build of their own, in an op host of its own. */
export const sanitizerCheck = opcheckCheck.extract([
  'address_sanitizer',
  'undefined_behaviour_sanitizer',
])
export type SanitizerCheck = z.infer<typeof sanitizerCheck>
