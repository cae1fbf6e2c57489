// Writes through a null pointer.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace {

at::Tensor run(const at::Tensor& x) {
  float* volatile nowhere = nullptr;
  *nowhere = 1.0f;
  return x;
}

TORCH_LIBRARY(null_write, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
