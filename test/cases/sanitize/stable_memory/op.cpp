// Operators on the stable ABI, whose headers compile in a second or two with every compiler.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <limits>

using torch::stable::Tensor;

namespace {

Tensor doubled(const Tensor& x) {
  auto y = torch::stable::empty_like(x);
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(y.data_ptr());
  if (!x.is_contiguous() || x.scalar_type() != torch::headeronly::ScalarType::Float) return y;
  for (int64_t i = 0; i < x.numel(); ++i)
    to[i] = 2 * from[i];
  return y;
}

Tensor read_past(const Tensor& x) {
  auto y = torch::stable::empty_like(x);
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(y.data_ptr());
  if (!x.is_contiguous() || x.scalar_type() != torch::headeronly::ScalarType::Float) return y;
  for (int64_t i = 0; i < x.numel(); ++i)
    to[i] = from[i] + from[i + 1];
  return y;
}

int32_t next(int32_t value) {
  return value + 1;
}

// Overflows where x has any elements.
Tensor counted(const Tensor& x) {
  const auto most = static_cast<int64_t>(std::numeric_limits<int32_t>::max());
  const auto count = next(static_cast<int32_t>(x.numel() > 0 ? most : 0));
  return count == 3 ? x : torch::stable::empty_like(x);
}

}  // namespace

STABLE_TORCH_LIBRARY(stable_memory, m) {
  m.def("doubled(Tensor x) -> Tensor");
  m.def("read_past(Tensor x) -> Tensor");
  m.def("counted(Tensor x) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(stable_memory, CPU, m) {
  m.impl("doubled", TORCH_BOX(&doubled));
  m.impl("read_past", TORCH_BOX(&read_past));
  m.impl("counted", TORCH_BOX(&counted));
}
