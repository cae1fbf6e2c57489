import { describe, expect, it } from 'vitest'

import { explainGradientError } from '../../electron/engine/explain/gradient-error'

/** Texts as libtorch 2.13 gave them, of operators that make these mistakes. */
const said: [name: string, text: string, message: string, hint: RegExp][] = [
  [
    'the wrong number of gradients',
    'function torch::autograd::CppNode<Few> returned an incorrect number of gradients (expected 2, got 1)',
    'The backward of Few returns 1 gradient, but forward has 2 inputs.',
    /at::Tensor\(\) for inputs without a gradient/,
  ],
  [
    'a gradient of the wrong shape',
    'Function torch::autograd::CppNode<Shape> returned an invalid gradient at index 0 - got [2, 3] but expected shape compatible with [3, 2]',
    'The backward of Shape returns a gradient of shape 2 × 3 for tensor input 0, which has shape 3 × 2.',
    /transpose the gradient, or sum/,
  ],
  [
    'a gradient on another device',
    'Function torch::autograd::CppNode<Dtype> returned an invalid gradient at index 0 - expected device cpu but got meta',
    'The backward of Dtype returns a gradient that does not match tensor input 0: expected device cpu but got meta.',
    /dtype, device and layout of its input/,
  ],
  [
    'a saved tensor that was written to',
    'one of the variables needed for gradient computation has been modified by an inplace operation: [CPUDoubleType [3, 2]], which is output 0 of Add1, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).',
    'A tensor of shape 3 × 2 was changed in place after forward saved it for backward.',
    /Write to a copy/,
  ],
  [
    'a saved number in a tensor that was written to',
    'one of the variables needed for gradient computation has been modified by an inplace operation: [CPUDoubleType []], which is output 0 of Add1, is at version 1; expected version 0 instead.',
    'A tensor of shape [] was changed in place after forward saved it for backward.',
    /Write to a copy/,
  ],
  [
    'an input that is written to',
    'a leaf Variable that requires grad is being used in an in-place operation.',
    'The operator writes in place to an input that requires grad: autograd would lose the original value.',
    /x\.clone\(\)/,
  ],
]

describe('autograd errors', () => {
  it.each(said)(
    'the error about %s is explained in a sentence, with what to do',
    (_name, text, message, hint) => {
      const told = explainGradientError({ code: 'operator.check', message: text })
      expect(told.message).toBe(message)
      expect(told.hint).toMatch(hint)
      expect(told.detail).toBe(text)
    },
  )

  it('an unknown error stays unchanged', () => {
    const other = { code: 'operator.check', message: 'scale: x must be float32' } as const
    expect(explainGradientError(other)).toBe(other)
    const ours = { code: 'internal', message: said[0]?.[1] ?? '' } as const
    expect(explainGradientError(ours)).toBe(ours)
  })
})
