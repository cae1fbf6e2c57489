// Jacobians of tensor functions: by central differences, by backward and by forward mode.
//
// A Jacobian of output o with respect to input i has a row for each element of i and a column for
// each element of o, both in row-major order, as torch.autograd.gradcheck's have. Of a complex
// input it holds conjugate Wirtinger derivatives (arXiv:1701.00392, 3.5.3).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/differentiable.h"

namespace opsmith {

// jacobians[input][output]; inputs are those that require grad, outputs the floating or complex
// ones.
using Jacobians = std::vector<Tensors>;

bool is_differentiable_type(const at::Tensor& tensor);  // floating point or complex

// Perturbs one element of one input after the other, in place, by +-eps, as gradcheck does; so it
// detects an operator that writes to its input. Of a sparse input only specified elements are
// perturbed; rows of the others are zero. Throws Failure (operator.check) when an output
// changes its shape or dtype.
Jacobians numerical_jacobians(const TensorFunction& function, const Tensors& inputs,
                              const Tensors& outputs, double eps);

// One directional derivative for each input: along `directions[i]`, of unit length; of a complex
// input along the real and the imaginary one; of a sparse input zero where nothing is specified.
// derivatives[input][output], flat.
struct Direction {
  at::Tensor real, imaginary;  // `imaginary` undefined for a real input
};
Jacobians directional_derivatives(const TensorFunction& function, const Tensors& inputs,
                                  const std::vector<Direction>& directions, double eps);

// The sums of those over all inputs, by output, from two calls in place of two for each input.
// nullopt for a single input, and where inputs are complex, sparse, or share memory.
std::optional<Tensors> joint_derivatives(const TensorFunction& function, const Tensors& inputs,
                                         const std::vector<Direction>& directions, double eps);

struct BackwardJacobian {
  Tensors jacobians;  // by input
  bool sizes_match = true, dtypes_match = true;
  // The largest difference between two computations of the same Jacobian, and its place.
  double largest_difference = 0;
  std::vector<int64_t> difference_at;  // input, row, column
};

// Of one output, from its graph: a backward pass for each element, everything twice. With
// `projection`, one pass with that gradient: jacobians of one column.
BackwardJacobian backward_jacobian(const Tensors& inputs, const at::Tensor& output,
                                   const std::optional<at::Tensor>& projection);

// Records how two computations of the columns of input `input`'s Jacobian from `first` on differ;
// given transposed: a row for each column.
void note_difference(const at::Tensor& once, const at::Tensor& again, size_t input, int64_t first,
                     BackwardJacobian& result);

// One forward-mode pass for each element of each input, or one for each of `directions`. Inputs
// must be real. A tangent that is complex where the output is not, or the reverse, clears
// `dtypes_match`.
struct ForwardJacobians {
  Jacobians jacobians;
  bool dtypes_match = true;
};
ForwardJacobians forward_jacobians(const TensorFunction& function, const Tensors& inputs,
                                   const Tensors& outputs,
                                   const std::vector<Direction>* directions);

}  // namespace opsmith
