#pragma once

// The checks of arguments, which the kernels of all devices share.

#include <ATen/core/Tensor.h>

namespace lltm_sample {

/// gates [batch, 3 * states], old_cell [batch, states].
inline void check_inputs(const at::Tensor& gates, const at::Tensor& old_cell) {
  TORCH_CHECK(gates.is_floating_point(), "lltm: gates must be floating point, got ",
              gates.scalar_type());
  TORCH_CHECK(gates.dim() == 2 && old_cell.dim() == 2 && gates.size(0) == old_cell.size(0) &&
                  gates.size(1) == 3 * old_cell.size(1),
              "lltm: gates must be [batch, 3 * states] and old_cell [batch, states], got ",
              gates.sizes(), " and ", old_cell.sizes());
  TORCH_CHECK(old_cell.scalar_type() == gates.scalar_type() && old_cell.device() == gates.device(),
              "lltm: gates is ", gates.scalar_type(), " on ", gates.device(), " but old_cell is ",
              old_cell.scalar_type(), " on ", old_cell.device());
}

/// Gradients of both results, and what forward returned.
inline void check_backward_inputs(const at::Tensor& grad_h, const at::Tensor& grad_cell,
                                  const at::Tensor& new_cell, const at::Tensor& activated) {
  check_inputs(activated, new_cell);
  for (const at::Tensor* grad : {&grad_h, &grad_cell}) {
    TORCH_CHECK(grad->sizes() == new_cell.sizes() &&
                    grad->scalar_type() == new_cell.scalar_type() &&
                    grad->device() == new_cell.device(),
                "lltm: gradients must have the dtype, shape and device of new_cell: ",
                new_cell.scalar_type(), new_cell.sizes(), " on ", new_cell.device(), ", got ",
                grad->scalar_type(), grad->sizes(), " on ", grad->device());
  }
}

}  // namespace lltm_sample
