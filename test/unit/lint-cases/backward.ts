import type { PlacedEntry } from '../../../electron/engine/language/lints/project-sources'
import { one } from '../lint-case'
import type { LintCase } from '../lint-case'

const autograd = (
  results: string,
  inputs = 'const at::Tensor& x, const at::Tensor& w, double eps',
): string =>
  `struct F : public torch::autograd::Function<F> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, ${inputs}) { return x * w; }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    ${results}
  }
};
`

const entry = (backwardArgs: string[], gradients: (string | null)[]): PlacedEntry => ({
  name: 'op',
  forward: 'forward',
  backward: 'backward',
  backwardArgs,
  gradients,
  file: '/opsmith.json',
  line: 3,
})

export const cases: LintCase[] = [
  one('opsmith-backward-results', 'too few', autograd('return »{grads[0], grads[0]};'), {
    message: /^F::backward returns 2 gradients, but forward has 3 inputs\.$/,
    fixed: autograd('return {grads[0], grads[0], at::Tensor()};'),
  }),
  one(
    'opsmith-backward-results',
    'too many, and only one return of several',
    autograd(
      'if (!grads[0].defined()) return {at::Tensor()};\n    return »torch::autograd::variable_list{grads[0], at::Tensor()};',
      'const at::Tensor& x',
    ).replace('»torch::autograd::variable_list{', 'torch::autograd::variable_list»{'),
  ),
  one(
    'opsmith-backward-results',
    'not as many as there are, nor where that cannot be seen',
    autograd('return {grads[0], grads[0], at::Tensor()};') +
      autograd('std::vector<at::Tensor> all(3); return all;').replaceAll('F', 'G') +
      autograd('return {grads[0]};', 'torch::autograd::variable_list xs').replaceAll('F', 'H'),
    { quiet: true },
  ),
  one(
    'opsmith-backward-results',
    'an entry of opsmith.json with fewer places than backward has results',
    `at::Tensor forward(const at::Tensor& x, const at::Tensor& w) { return x * w; }
»std::tuple<at::Tensor, at::Tensor, at::Tensor> backward(const at::Tensor& grad) { return {grad, grad, grad}; }
`,
    {
      entries: [entry(['grad:0'], ['x', 'w'])],
      message: /^backward returns 3 results, but "gradients" of autograd entry op lists 2\.$/,
    },
  ),
  one(
    'opsmith-backward-results',
    'an entry whose backward is registered, gives a list, and takes more',
    `std::vector<at::Tensor> scale(const at::Tensor& x, double factor) { return {x * factor}; }
»std::vector<at::Tensor> scale_grad(const at::Tensor& grad, const at::Tensor& x) { return »{grad, x}; }
TORCH_LIBRARY(ops, m) {
  m.def("forward", &scale);
  m.def("backward", &scale_grad);
}
`,
    { entries: [entry(['grad:0'], ['x'])] },
  ),
  one(
    'opsmith-backward-results',
    'an entry that names an input which there is not',
    `»at::Tensor forward(const at::Tensor& x, double factor) { return x * factor; }
at::Tensor backward(const at::Tensor& grad, double factor) { return grad * factor; }
`,
    {
      entries: [entry(['grad:0', 'scale'], ['x'])],
      message:
        /^autograd entry op names the input scale, but the inputs of forward are x, factor\.$/,
    },
  ),
  one(
    'opsmith-backward-results',
    'not entries that fit, with defaults, lists of tensors, names of a schema and results without a gradient',
    `at::Tensor forward(const at::Tensor& x, at::TensorList rest) { return x; }
std::vector<at::Tensor> backward(const at::Tensor& grad, bool all = true) { return {grad, grad, grad}; }
std::tuple<at::Tensor, at::Tensor> pair_grad(const at::Tensor& grad) { return {grad, grad}; }
at::Tensor pair(const at::Tensor& a) { return a.clone(); }
TORCH_LIBRARY(ops, m) { m.def("pair(Tensor input) -> Tensor", &pair); }
`,
    {
      quiet: true,
      entries: [
        entry(['grad:0'], ['rest']),
        { ...entry(['grad:0'], ['input', null]), forward: 'pair', backward: 'pair_grad' },
        { ...entry(['grad:0'], ['x']), forward: 'elsewhere', backward: 'elsewhere_grad' },
      ],
    },
  ),
]
