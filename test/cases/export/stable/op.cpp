// Soft thresholding on libtorch's stable ABI: one library serves every libtorch from its target on.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#include <cmath>
#include <cstdint>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

namespace {

template <typename T>
void shrink(const T* from, T* to, int64_t count, T threshold) {
  for (int64_t i = 0; i < count; ++i) {
    const T beyond = std::abs(from[i]) - threshold;
    // NaN is neither, and stays.
    to[i] = beyond <= 0 ? T(0) : std::copysign(beyond, from[i]);
  }
}

/// x: float32 or float64, any shape. Returns sign(x) * max(|x| - threshold, 0) of that shape,
/// contiguous.
Tensor soft_threshold(const Tensor& x, double threshold) {
  STD_TORCH_CHECK(threshold >= 0, "soft_threshold: threshold must not be negative, got ",
                  threshold);
  const Tensor from = torch::stable::contiguous(x);
  Tensor to = torch::stable::empty_like(from);
  if (x.scalar_type() == ScalarType::Double) {
    shrink(from.const_data_ptr<double>(), to.mutable_data_ptr<double>(), x.numel(), threshold);
  } else {
    STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float,
                    "soft_threshold: x must be float32 or float64");
    shrink(from.const_data_ptr<float>(), to.mutable_data_ptr<float>(), x.numel(),
           static_cast<float>(threshold));
  }
  return to;
}

/// The shape, dtype and strides of what soft_threshold returns, without its values.
Tensor soft_threshold_meta(const Tensor& x, double /*threshold*/) {
  return torch::stable::empty_like(torch::stable::contiguous(x));
}

}  // namespace

STABLE_TORCH_LIBRARY(stable_threshold, m) {
  m.def("soft_threshold(Tensor x, float threshold=0.5) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(stable_threshold, CPU, m) {
  m.impl("soft_threshold", TORCH_BOX(&soft_threshold));
}

STABLE_TORCH_LIBRARY_IMPL(stable_threshold, Meta, m) {
  m.impl("soft_threshold", TORCH_BOX(&soft_threshold_meta));
}
