// Jacobians of functions that can be called on a batch (batched_call.h): many rows, or columns, at
// once instead of one by one.
//
// Whether a function can is found out, not assumed: what the batch gives is compared with what
// single calls give at the ends of every batch, and for derivatives also along a random direction,
// which sees every element. Under vmap float64 may be rounded another way (a product of matrices is
// added up in another order); else it is bit for bit. Where that fails, the answer is nullopt, and
// the slow way is the only one.
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

// forward_jacobians, of real inputs and outputs.
std::optional<ForwardJacobians> batched_forward_jacobians(const TensorFunction& function,
                                                          const Tensors& inputs,
                                                          const Tensors& outputs);

}  // namespace opsmith
