#pragma once

#include <ATen/core/Tensor.h>

/// A float32 tensor that is not empty, in one piece.
inline at::Tensor checked(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "x must be float32, got ", x.scalar_type());
  TORCH_CHECK(x.is_cuda() && x.numel() > 0, "x must be on a CUDA device, and not empty");
  return x.contiguous();
}

constexpr int threads_of_block = 128;

inline unsigned blocks_for(int size) {
  return static_cast<unsigned>((size + threads_of_block - 1) / threads_of_block);
}
