import { replaceWord } from './rule'
import type { Rule } from './rule'

const shape = `\`\`\`cpp
struct Scale : torch::autograd::Function<Scale> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, double factor);
  static variable_list backward(AutogradContext* ctx, variable_list grads);
};
\`\`\`

The inputs of forward come after \`ctx\`: they are the arguments of \`Scale::apply(x, factor)\`. backward takes a list with a gradient for each output, and returns a list with a gradient for each input.`

/** Mistakes in classes derived from torch::autograd::Function. */
export const autogradRules: Rule[] = [
  {
    match: /no matching function for call to '(?:(\w+)::)?apply(?:\([^']*)?'/,
    within: /forward_t|custom_function\.h/,
    message: ([name]) =>
      `The arguments of apply do not match ${name ?? ''}${name ? '::' : ''}forward: the parameters of forward must be AutogradContext* ctx and then the arguments of apply.`,
    explanation: shape,
  },
  {
    match:
      /too many arguments to function call, expected single argument 'to_save'|no matching function for call to '[^']*save_for_backward/,
    message: () =>
      'The argument of save_for_backward must be one list of tensors: put the tensors in braces.',
    explanation: `\`\`\`cpp
ctx->save_for_backward({x, w});
\`\`\`

Call save_for_backward only once: a second call replaces the tensors of the first call. Save other values with \`ctx->saved_data["factor"] = factor\`.`,
  },
  {
    match:
      /no member named '(saved_tensors|saved_variables)'|has no member named '(saved_tensors|saved_variables)'/,
    message: ([name = '']) =>
      `${name} exists only in Python: write ctx->get_saved_variables() in C++.`,
    explanation: `\`\`\`cpp
const variable_list saved = ctx->get_saved_variables();
const at::Tensor& x = saved[0];
\`\`\``,
    fix: (diagnostic, [name = '']) => replaceWord(diagnostic, name, 'get_saved_variables()'),
  },
  {
    match:
      /(?:no viable conversion from|cannot convert|could not convert) '(?:torch::autograd::)?(?:variable_list|std::vector<at::Tensor>)'.* to '(?:const )?at::Tensor/,
    within: /custom_function\.h/,
    message: () => 'backward takes and returns a list of gradients: use variable_list, not Tensor.',
    explanation: shape,
  },
  {
    match:
      /(?:no viable conversion|cannot convert|could not convert|conversion).*'at::Tensor' to .*'(?:torch::autograd::)?variable_list/,
    message: () => 'backward returns a list of gradients: put the tensor in braces.',
    explanation: shape,
  },
  {
    match: /use of undeclared identifier 'None'|'None' was not declared in this scope/,
    message: () =>
      'None exists only in Python: write at::Tensor() for a missing gradient, or std::nullopt for an empty optional.',
    explanation: `\`\`\`cpp
return {grad_x, at::Tensor()};  // the second input has no gradient
\`\`\``,
    absorbs: /no matching constructor for initialization of 'variable_list'|could not convert '\{/,
    fix: (diagnostic) => replaceWord(diagnostic, 'None', 'at::Tensor()'),
  },
]
