// Divides integers by zero.

#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor run(const at::Tensor& x) {
  volatile int64_t zero = 0;
  volatile int64_t quotient = x.size(0) / zero;
  return x + static_cast<double>(quotient);
}

TORCH_LIBRARY(division_by_zero, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
