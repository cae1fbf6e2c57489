#pragma once

// The checks of arguments, which the kernels of all devices share.

#include <ATen/core/Tensor.h>

namespace tiled_matmul_sample {

inline void check_inputs(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.is_floating_point(), "tiled_matmul: a must be floating point, got ",
              a.scalar_type());
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2, "tiled_matmul: a and b must be matrices, got ",
              a.sizes(), " and ", b.sizes());
  TORCH_CHECK(a.size(1) == b.size(0), "tiled_matmul: a has ", a.size(1), " columns, but b has ",
              b.size(0), " rows");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), "tiled_matmul: a is ", a.scalar_type(),
              " but b is ", b.scalar_type());
  TORCH_CHECK(a.device() == b.device(), "tiled_matmul: a is on ", a.device(), " but b is on ",
              b.device());
}

}  // namespace tiled_matmul_sample
