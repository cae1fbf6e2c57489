// A call seen as a function of its tensors: tensors in, tensors out.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/callable.h"

namespace opsmith {

using Tensors = std::vector<at::Tensor>;
using TensorFunction = std::function<Tensors(const Tensors&)>;

struct Differentiable {
  TensorFunction call;
  // Every tensor among the arguments, those in lists one by one, in the order of the schema.
  Tensors inputs;
  std::vector<std::string> names;  // of `inputs`: "x", "weights[1]", "grad_output[0]"
};

// The call of `callable` with `arguments`; other arguments are passed unchanged. Tuples and lists
// of outputs are flattened; outputs that are not tensors are left out.
Differentiable differentiable_call(const Callable& callable, std::vector<c10::IValue> arguments);

// What gradgradcheck checks (torch.autograd.gradgradcheck): the gradients of `function`'s inputs as
// a function of these inputs and of the gradients of its outputs. Those are uniform in [-1, 1),
// drawn with `seed`.
Differentiable gradients_of(const Differentiable& function, int64_t seed, bool non_contiguous);

Tensors differentiable_outputs(const Tensors& outputs);  // those that require grad
// Positions of the inputs that require grad.
std::vector<size_t> differentiable_inputs(const Tensors& inputs);

}  // namespace opsmith
