#pragma once

// The checks of arguments, which the kernels of all devices share.

#include <ATen/core/Tensor.h>

namespace softmax_sample {

inline void check_input(const at::Tensor& x) {
  TORCH_CHECK(x.is_floating_point(), "softmax: x must be floating point, got ", x.scalar_type());
  TORCH_CHECK(x.dim() >= 1 && x.size(-1) > 0, "softmax: x needs a nonempty last dimension, got ",
              x.sizes());
}

/// A gradient of the result, and the result.
inline void check_backward_inputs(const at::Tensor& grad, const at::Tensor& y) {
  check_input(y);
  TORCH_CHECK(grad.sizes() == y.sizes() && grad.scalar_type() == y.scalar_type() &&
                  grad.device() == y.device(),
              "softmax: grad must have the dtype, shape and device of y, which is ",
              y.scalar_type(), y.sizes(), " on ", y.device(), ", got ", grad.scalar_type(),
              grad.sizes(), " on ", grad.device());
}

}  // namespace softmax_sample
