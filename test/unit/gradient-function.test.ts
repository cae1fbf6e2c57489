import { describe, expect, it } from 'vitest'

import { gradientFunction } from '../../electron/engine/language/lints/gradient-function'
import { LintedSources } from '../../electron/engine/language/lints/project-sources'
import type { PlacedEntry } from '../../electron/engine/language/lints/project-sources'
import { SourceFile } from '../../electron/engine/language/syntax/source-file'
import { root } from '../support/installation'

/** The function and line of the operator's gradient; "" where none is found. */
async function found(
  operator: string,
  text: string,
  entries: readonly PlacedEntry[] = [],
): Promise<string> {
  const source = await SourceFile.parse(root, '/p/op.cpp', text)
  const place = gradientFunction(new LintedSources([source], [], entries), operator)
  return place ? `${place.name} ${place.line}` : ''
}

const square = `struct Square : torch::autograd::Function<Square> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x) { return x * x; }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0]};
  }
};
`

describe('the function that makes the gradient of an operator', () => {
  it('is backward of the autograd function that its kernel applies', async () => {
    const text = `${square}at::Tensor square(const at::Tensor& x) { return Square::apply(x); }
TORCH_LIBRARY(my_op, m) { m.def("square(Tensor x) -> Tensor", &square); }
`
    expect(await found('my_op::square', text)).toBe('Square::backward 3')
    expect(await found('my_op::cube', text)).toBe('')
  })

  it('is found behind a helper, a lambda and the kernel of an autograd key', async () => {
    const helped = `${square}at::Tensor helper(const at::Tensor& x) { return Square::apply(x); }
at::Tensor on_cpu(const at::Tensor& x) { return x * x; }
TORCH_LIBRARY(my_op, m) { m.def("square(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_op, CPU, m) { m.impl("square", on_cpu); }
TORCH_LIBRARY_IMPL(my_op, Autograd, m) {
  m.impl("square", [](const at::Tensor& x) { return helper(x); });
}
`
    expect(await found('my_op::square', helped)).toBe('Square::backward 3')
  })

  it('is found behind an instance of a template', async () => {
    const template = `template <auto f>
struct Unary : torch::autograd::Function<Unary<f>> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x) { return f(x); }
  static variable_list backward(AutogradContext* ctx, variable_list grads) { return grads; }
};
template <auto f>
at::Tensor unary(const at::Tensor& x) { return Unary<f>::apply(x); }
at::Tensor square(const at::Tensor& x) { return x * x; }
TORCH_LIBRARY(my_op, m) { m.def("square(Tensor x) -> Tensor", &unary<&square>); }
`
    expect(await found('my_op::square', template)).toBe('Unary::backward 4')
  })

  it('is the backward function that opsmith.json names', async () => {
    const text = `at::Tensor gc_forward(const at::Tensor& x) { return x; }
at::Tensor gc_backward(const at::Tensor& grad) { return grad; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &gc_forward);
  m.def("backward", &gc_backward);
}
`
    const entry = {
      name: 'layer',
      forward: 'forward',
      backward: 'backward',
      backwardArgs: ['grad:0'],
      gradients: ['x'],
      file: '/p/opsmith.json',
      line: 3,
    }
    expect(await found('gc::layer', text, [entry])).toBe('gc_backward 2')
    expect(await found('gc::forward', text, [entry])).toBe('')
  })
})
