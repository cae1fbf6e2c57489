// Jacobians of functions that can be called on a batch (batched_call.h): many rows, or columns, at
// once instead of one by one.
//
// This is tested, not assumed: at the ends of every batch the result is compared with single calls,
// and for derivatives also along a random direction, which covers every element. Under vmap float64
// may be rounded differently (a matrix product adds in another order); otherwise both are bit for
// bit the same. If the comparison fails, the result is nullopt, and the caller computes row by row.
#pragma once

#include <functional>
#include <optional>

#include "runtime/gradcheck/jacobian.h"

namespace opsmith {

// numerical_jacobians, of real inputs and outputs.
std::optional<Jacobians> batched_numerical_jacobians(const TensorFunction& function,
                                                     const Tensors& inputs, const Tensors& outputs,
                                                     double eps);

// Looks at columns of one input's Jacobian as they are computed, from `first` on: a row of `rows`
// for each column.
using ColumnsVisitor = std::function<void(size_t input, int64_t first, const at::Tensor& rows)>;

// backward_jacobian of `outputs[output]`, which has its graph. The Jacobians themselves are absent
// unless `keep`. `visitor` is called once for each thread that computes, before it does, and again
// for those of another way when one turns out not to work: what the visitors have seen before the
// last call with `true`, which says that a way begins, counts for nothing.
std::optional<BackwardJacobian> batched_backward_jacobian(
    const TensorFunction& function, const Tensors& inputs, const Tensors& outputs, size_t output,
    bool keep, const std::function<ColumnsVisitor(bool begins)>& visitor);

// forward_jacobians, of real inputs and outputs.
std::optional<ForwardJacobians> batched_forward_jacobians(const TensorFunction& function,
                                                          const Tensors& inputs,
                                                          const Tensors& outputs);

}  // namespace opsmith
