// The checks of gradcheck that compare no Jacobians, each throwing Failure (operator.check) with
// what is wrong, and the random vectors of its fast mode.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/gradcheck/jacobian.h"
#include "runtime/gradcheck/jacobian_mismatch.h"

namespace opsmith {

// Random vectors of unit length without negative elements, as gradcheck's fast mode uses them. They
// are the same each time. Of a sparse input: zero at elements that are not specified. `outputs`
// null: only of the inputs.
struct Directions {
  std::vector<Direction> inputs;  // of those that require grad
  Tensors outputs;
};
Directions make_directions(const Tensors& inputs, const Tensors* outputs);

// The tolerance for J u if each element of J has the tolerance atol. For v^T J u, multiply it by
// the sum of v.
double projected_atol(double atol, const Direction& u);

// Gradients of zero are zero, and of the input's dtype, device and shape; sparse ones of its
// layout. `masked`: nearly zero is enough, as in gradcheck.
void check_zero_gradients(const Tensors& inputs, const std::vector<std::string>& names,
                          const Tensors& outputs, bool masked);

// backward with no gradient for any output, then for one after the other: no error, and nothing but
// zeros when all are undefined or zero.
void check_undefined_gradients(const Tensors& inputs, const std::vector<std::string>& names,
                               const Tensors& outputs);

// An input without a tangent counts as one whose tangent is zero.
void check_undefined_tangents(const TensorFunction& function, const Tensors& inputs,
                              const std::vector<std::string>& names);

// A grad_output of an output, and the gradients that backward gave for it.
struct KnownGradients {
  at::Tensor grad_output;
  Tensors gradients;  // of the inputs that require grad
};

// What a finding calls the gradient of an input that requires grad, or the tangent of an output.
using NameOfResult = std::function<std::string(size_t)>;

// Two gradients, or tangents, at once under vmap are the two one by one. `known` saves a backward.
void check_batched_gradients(const Tensors& inputs, const at::Tensor& output,
                             const NameOfResult& name, const std::optional<KnownGradients>& known);
void check_batched_forward_gradients(const TensorFunction& function, const Tensors& inputs);

// One element of a Jacobian and the function it came from.
struct PointProbe {
  TensorFunction function;
  Tensors inputs;
  at::Tensor input;  // one of `inputs`, real
  size_t output;     // which result of `function`
  int64_t row, column;
  double eps;
};

// Outputs that change from call to call, rounding (the difference is no more than the precision of
// the function's value allows), or a kink (the derivatives from both sides differ, and the
// analytical one is between them); "" when none of them.
std::string cause_near_point(const PointProbe& probe, const JacobianComparison& comparison);

}  // namespace opsmith
