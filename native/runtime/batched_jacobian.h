// Jacobians of functions that let a batch dimension be put before their inputs' own: many rows, or
// columns, at once instead of one by one.
//
// Whether a function does is found out, not assumed: what the batch gives is compared with what
// single calls give, bit for bit at the ends of every batch, and for backward passes also along a
// random direction, which sees every element. Where that fails, the answer is nullopt, and the slow
// way is the only one.
#pragma once

#include <optional>

#include "runtime/jacobian.h"

namespace opsmith {

// numerical_jacobians, of real inputs and outputs.
std::optional<Jacobians> batched_numerical_jacobians(const TensorFunction& function,
                                                     const Tensors& inputs, const Tensors& outputs,
                                                     double eps);

// backward_jacobian of `outputs[output]`, which has its graph.
std::optional<BackwardJacobian> batched_backward_jacobian(const TensorFunction& function,
                                                          const Tensors& inputs,
                                                          const Tensors& outputs, size_t output);

}  // namespace opsmith
