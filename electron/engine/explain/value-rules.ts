import { addInclude, replaceWord } from './rule'
import type { Rule } from './rule'

/** Names that libtorch no longer has, and what is there in their place. */
const removed: Record<string, string> = {
  AT_CHECK: 'TORCH_CHECK',
  AT_INDEX_ERROR: 'TORCH_CHECK_INDEX',
  AT_DISPATCH_ALL_TYPES_AND_HALF: 'AT_DISPATCH_ALL_TYPES_AND',
  THCudaCheck: 'C10_CUDA_CHECK',
  THCState_getCurrentStream: 'at::cuda::getCurrentCUDAStream',
  THCCeilDiv: 'at::ceil_div',
}
/** Headers of what lies in none that its users include. */
const headers: Record<string, string> = {
  parallel_for: 'ATen/Parallel.h',
  parallel_reduce: 'ATen/Parallel.h',
  get_num_threads: 'ATen/Parallel.h',
  TensorIterator: 'ATen/TensorIterator.h',
  TensorIteratorConfig: 'ATen/TensorIterator.h',
  opmath_type: 'ATen/OpMathType.h',
}

/** Mistakes with tensors, scalars, lists and results. */
export const valueRules: Rule[] = [
  {
    match:
      /no viable conversion from '(?:const )?(?:at::)?DeprecatedTypeProperties' to|could not convert .* from '(?:const )?at::DeprecatedTypeProperties'|cannot convert '(?:const )?at::DeprecatedTypeProperties'|no matching function for call to 'scalar_type\((?:const )?at::DeprecatedTypeProperties/,
    message: () => 'x.type() is not a dtype, but AT_DISPATCH needs one: write x.scalar_type().',
    explanation: `\`Tensor::type()\` is deprecated. Use \`scalar_type()\` for the dtype, \`device()\` for the device, and \`options()\` for all properties of a new tensor:

\`\`\`cpp
AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "twice", [&] {
  y.data_ptr<scalar_t>()[0] = 2 * x.data_ptr<scalar_t>()[0];
});
\`\`\``,
    absorbs: /is deprecated: Tensor\.type\(\)/,
  },
  {
    match: /'omp\.h' file not found|^omp\.h: No such file or directory/,
    message: () =>
      "omp.h is not installed for this compiler: use at::parallel_for, which does not need it, or install libomp's development package.",
    explanation: `\`at::parallel_for\` splits a loop over libtorch's own threads. It does not need \`omp.h\` or a compiler flag, and \`torch.set_num_threads\` sets its number of threads:

\`\`\`cpp
#include <ATen/Parallel.h>

at::parallel_for(0, n, 1024, [&](int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) y[i] = 2 * x[i];
});
\`\`\`

If the code needs \`omp_get_thread_num()\`, install the package of your clang's version, for example \`apt-get install libomp-19-dev\`, or choose g++ in Doctor: g++ has its own \`omp.h\`.`,
  },
  {
    match: new RegExp(
      `(?:use of undeclared identifier|no member named) '(${Object.keys(removed).join('|')})'|'(${Object.keys(removed).join('|')})' was not declared`,
    ),
    message: ([name = '']) => `${name} is no longer in libtorch: use ${removed[name] ?? ''}.`,
    explanation: `Releases of libtorch remove names that earlier releases deprecated. The arguments of the new name can differ. For example, \`AT_CHECK(condition)\` becomes \`TORCH_CHECK(condition, "what is wrong: ", value)\`, which throws an error that Python shows as \`RuntimeError\`.`,
    fix: (diagnostic, [name = '']) => replaceWord(diagnostic, name, removed[name] ?? ''),
  },
  {
    match:
      /'data(?:<[^>]+>)?' is deprecated|at::Tensor::data\(\) const.* is deprecated|(?:no member named|has no member named) 'data'/,
    message: () => 'data<T>() has been replaced: use data_ptr<T>().',
    explanation: `\`data_ptr<T>()\` returns the same pointer. \`const_data_ptr<T>()\` and \`mutable_data_ptr<T>()\` also state whether the code reads or writes. \`const_data_ptr<T>()\` does not copy a copy-on-write tensor.

\`\`\`cpp
const float* from = x.const_data_ptr<float>();
\`\`\``,
    absorbs: /'data<[^>]+>' is deprecated/,
    fix: (diagnostic) => replaceWord(diagnostic, 'data', 'data_ptr'),
  },
  {
    match:
      /non-void function does not return a value|no return statement in function returning non-void|control (?:may )?reache?s? end of non-void function/,
    message: () =>
      'The function must return a result, but the code can reach the end of the function without a return. The caller then gets an undefined value.',
    explanation: `Compilers only warn. The compiled code runs past the end of the function: the function crashes, or returns an invalid tensor. Return on every path. If a path cannot be reached, end this path with \`TORCH_CHECK(false, "...")\`.`,
  },
  {
    match:
      /no viable conversion from '(?:void|\(lambda[^']*)' to|conversion from 'void' to non-scalar|could not convert .* from 'void'|variable or field '\w+' declared void|void value not ignored|variable has incomplete type 'void'|cannot convert 'void' to/,
    within: /AT_DISPATCH/,
    message: () => 'The lambda in AT_DISPATCH returns nothing, but its result is used.',
    explanation: `AT_DISPATCH returns what the lambda returns. Return a value:

\`\`\`cpp
at::Tensor y = AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "total", [&] {
  return at::scalar_tensor(x.sum().item<scalar_t>());
});
\`\`\`

or let the lambda write to a variable of the enclosing function, and do not use the result of AT_DISPATCH.`,
  },
  {
    match:
      /return type '(.+?)' must match previous return type '(.+?)' when lambda|inconsistent types '(.+?)' and '(.+?)' deduced for lambda return type/,
    message: ([one = '', other = '']) =>
      `This lambda returns ${one} in one place and ${other} in another: give it one return type.`,
    explanation: `In AT_DISPATCH the lambda is compiled once for every type of \`scalar_t\`. Each version must return the same type, in every return statement:

\`\`\`cpp
AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "total", [&]() -> double {
  if (x.numel() == 0) return 0;
  return x.sum().item<scalar_t>();
});
\`\`\``,
  },
  {
    match:
      /variable '(\w+)' cannot be implicitly captured in a lambda with no capture-default|'(\w+)' is not captured/,
    message: ([name = '']) =>
      `The lambda uses ${name} of the enclosing function, but does not capture ${name}: write [&].`,
    explanation: `\`[&]\` lets a lambda use variables of the enclosing function. This is right if the lambda is called immediately, as in AT_DISPATCH and \`at::parallel_for\`. A lambda that is called later, such as one in \`m.def\`, must capture copies: \`[factor]\`.`,
  },
  {
    match:
      /no type named '(\w+)' in namespace 'torch'|'(\w+)' in namespace 'torch' does not name|no member named '(\w+)' in namespace 'torch'|'(\w+)' is not a member of 'torch'/,
    message: ([name = '']) =>
      `torch::${name} is not declared by the headers that are included here: write at::${name}, or include <torch/torch.h>.`,
    explanation: `\`torch::Tensor\` and \`at::Tensor\` are the same type. The smaller headers (\`<ATen/ATen.h>\`, \`<torch/library.h>\`) declare only \`at::Tensor\`. \`<torch/torch.h>\` and \`<torch/extension.h>\` declare both names, but take many times longer to compile.`,
    absorbs:
      /in namespace 'torch'|is not a member of 'torch'|has not been declared|'\w+' was not declared|to declare '\w+' as|expected .* before/,
    fix: (diagnostic) => replaceWord(diagnostic, 'torch', 'at', -7),
  },
  {
    match:
      /use of undeclared identifier 'torch'|'torch' (?:has not been declared|does not name a type|was not declared)/,
    message: () =>
      'This file does not include a header of libtorch: include <torch/extension.h>, or include <ATen/ATen.h> and write at:: instead of torch::.',
    explanation: `\`\`\`cpp
#include <ATen/ATen.h>      // at::Tensor and its operators
#include <torch/library.h>  // TORCH_LIBRARY
\`\`\``,
    absorbs: /'torch'/,
  },
  {
    match: new RegExp(
      `(?:no member named|no template named|no type named) '(${Object.keys(headers).join('|')})' in namespace 'at|'(${Object.keys(headers).join('|')})' is not a member of 'at'`,
    ),
    message: ([name = '']) =>
      `at::${name} is declared in another header: include <${headers[name] ?? ''}>.`,
    explanation: `\`\`\`cpp
#include <ATen/Parallel.h>  // at::parallel_for
#include <ATen/Dispatch.h>  // AT_DISPATCH_FLOATING_TYPES
\`\`\``,
    absorbs: /reference to local variable|not captured|was not declared in this scope/,
    fix: (diagnostic, [name = '']) => addInclude(diagnostic, headers[name] ?? ''),
  },
  {
    match: /use of undeclared identifier '(AT_DISPATCH_\w+)'|'(AT_DISPATCH_\w+)' was not declared/,
    message: ([name = '']) => `${name} needs <ATen/Dispatch.h>.`,
    explanation: `\`\`\`cpp
#include <ATen/Dispatch.h>
\`\`\``,
    absorbs: /scalar_t/,
    fix: (diagnostic) => addInclude(diagnostic, 'ATen/Dispatch.h'),
  },
  {
    match:
      /no member named '(\w+)' in 'std::optional<([\w:]+)>'|'(?:const )?class std::optional<([\w:]+)>' has no member named '(\w+)'/,
    message: () =>
      'This value is an optional, which may be empty: test the optional with has_value(), then use -> instead of the dot.',
    explanation: `\`\`\`cpp
if (bias.has_value()) y = y + bias->sum();
const at::Tensor shift = bias.value_or(at::Tensor());
\`\`\``,
  },
  {
    match:
      /no matching function for call to '([\w:]+)|cannot convert '(?:const )?std::optional<at::Tensor>'/,
    within:
      /no known conversion (?:for argument \d+ )?from '(?:const )?std::optional<(?:at::)?Tensor>'|cannot convert '(?:const )?std::optional<at::Tensor>'/,
    message: () =>
      'An optional Tensor is passed where a Tensor is needed: test the optional with has_value(), then use * to get the Tensor.',
    explanation: `\`\`\`cpp
return bias.has_value() ? at::add(x, *bias) : x.clone();
\`\`\``,
  },
  {
    match:
      /no viable conversion from '[^']*IntArrayRef'.* to 'std::vector|conversion from '[^']*IntArrayRef'.* to non-scalar type 'std::vector|conversion from '[^']*ArrayRef<[^']*' to '(?:std::)?vector/,
    message: () =>
      'An ArrayRef, such as x.sizes(), is a view, not a vector: copy the elements with .vec(), or keep the view.',
    explanation: `\`\`\`cpp
std::vector<int64_t> sizes = x.sizes().vec();  // a copy that you can change
const at::IntArrayRef view = x.sizes();        // valid while x exists
\`\`\``,
  },
  {
    match: /(?:no viable conversion from|cannot convert) '(?:at::|c10::)?Scalar' to '(\w+)'/,
    message: ([type = 'double']) =>
      `A Scalar is not a ${type}: call item<${type}>() on a tensor, or to<${type}>() on a Scalar.`,
    explanation: `A \`Scalar\` holds a number of any type, so name the type that you want:

\`\`\`cpp
const double value = x.max().item<double>();
const double factor = scalar.to<double>();
\`\`\``,
  },
  {
    match:
      /no viable conversion from '(?:::)?std::tuple<.*' to '(?:at::)?Tensor'|conversion from '(?:::)?std::tuple<.*' to non-scalar type 'at::Tensor'/,
    message: () =>
      'This call has several results: unpack the results with auto [values, indices] = ….',
    explanation: `\`\`\`cpp
auto [values, indices] = at::max(x, 0);
const at::Tensor largest = std::get<0>(at::max(x, 0));
\`\`\``,
  },
  {
    match:
      /value of type '(?:at::)?Tensor' is not contextually convertible to 'bool'|could not convert .* from 'at::Tensor' to 'bool'/,
    message: () =>
      'A Tensor cannot be a condition, because it has a value for each element: use at::where, or all().item<bool>().',
    explanation: `\`\`\`cpp
y = at::where(x > 0, x, 0);           // element by element
if ((x > 0).all().item<bool>()) { }   // all elements; waits for the GPU
\`\`\``,
  },
  {
    match:
      /'(\w+)' is a (private|protected) member of '(?:at|c10)::\w+'|'[^']*?(\w+)' is (private|protected) within this context/,
    within: /'[^']*(?:at|c10|torch)::/,
    message: ([name = '']) => `${name} is private to libtorch; use a public method.`,
    explanation: `Private members change from release to release. Use public methods instead, such as \`x.defined()\`, \`x.is_contiguous()\`, \`x.storage()\` and \`x.options()\`.`,
  },
  {
    match: /use of overloaded operator '(.+?)' is ambiguous|ambiguous overload for 'operator(.+?)'/,
    message: ([sign = '']) =>
      `Several overloads of operator${sign} match this call equally well: convert the argument to the type that you need.`,
    explanation: `\`{}\` can become any type, and a number can become a \`Scalar\`, a \`Tensor\` or an index. State the type:

\`\`\`cpp
x = at::Tensor();
y = x * static_cast<double>(factor);
\`\`\``,
  },
  {
    match: /call to '([\w:]+)' is ambiguous|call of overloaded '([\w:]+)\(/,
    message: ([name = '']) =>
      `Several overloads of ${name} match these arguments equally well: convert an argument to the type that you need.`,
    explanation: `The compiler's notes list the candidates. State the type of the ambiguous argument:

\`\`\`cpp
at::sum(x, at::IntArrayRef{0, 1});
\`\`\``,
  },
  {
    match:
      /no member named '(\w+)' in 'at::Tensor'|'(?:const )?class at::Tensor' has no member named '(\w+)'/,
    message: ([name = '']) =>
      `A Tensor has no method ${name}. If ${name} is an operator of libtorch, write at::${name}(x): some operators are only functions.`,
    explanation: `Operators that create or join tensors are functions (\`at::zeros_like(x)\`, \`at::cat({x, y})\`); most others are both functions and methods. Names with a trailing \`_\` write to the tensor in place. Python's attributes are methods in C++: \`x.sizes()\`, \`x.scalar_type()\`, \`x.dim()\`.`,
  },
]
