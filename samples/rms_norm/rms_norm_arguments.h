#pragma once

// The checks of arguments, which the kernels of all devices share.

#include <ATen/core/Tensor.h>
#include <ATen/OpMathType.h>

namespace rms_norm_sample {

inline void check_inputs(const at::Tensor& x, const at::Tensor& weight) {
  TORCH_CHECK(x.is_floating_point(), "rms_norm: x must be floating point, got ", x.scalar_type());
  TORCH_CHECK(x.dim() >= 1 && x.size(-1) > 0, "rms_norm: x needs a nonempty last dimension, got ",
              x.sizes());
  TORCH_CHECK(weight.dim() == 1 && weight.size(0) == x.size(-1), "rms_norm: weight must have ",
              x.size(-1), " elements, as x's last dimension, got ", weight.sizes());
  TORCH_CHECK(weight.scalar_type() == x.scalar_type(), "rms_norm: x is ", x.scalar_type(),
              " but weight is ", weight.scalar_type());
  TORCH_CHECK(weight.device() == x.device(), "rms_norm: x is on ", x.device(), " but weight is on ",
              weight.device());
}

/// What forward gave, and a gradient of its first output.
inline void check_backward_inputs(const at::Tensor& grad, const at::Tensor& x,
                                  const at::Tensor& weight, const at::Tensor& inverse_rms) {
  check_inputs(x, weight);
  TORCH_CHECK(grad.sizes() == x.sizes() && grad.scalar_type() == x.scalar_type(),
              "rms_norm: grad must have the dtype and shape of x: ", x.scalar_type(), x.sizes(),
              ", got ", grad.scalar_type(), grad.sizes());
  const int64_t rows = x.numel() / x.size(-1);
  TORCH_CHECK(inverse_rms.dim() == 1 && inverse_rms.size(0) == rows,
              "rms_norm: inverse_rms must have an element for each of ", rows, " rows, got ",
              inverse_rms.sizes());
  TORCH_CHECK(grad.device() == x.device() && inverse_rms.device() == x.device(),
              "rms_norm: x is on ", x.device(), ", grad on ", grad.device(), " and inverse_rms on ",
              inverse_rms.device());
}

/// Half types are summed in float; the inverse root mean square is kept in that type.
inline at::ScalarType accumulate_type(const at::Tensor& x) {
  return at::toOpMathType(x.scalar_type());
}

}  // namespace rms_norm_sample
