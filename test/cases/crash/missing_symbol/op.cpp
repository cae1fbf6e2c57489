// Calls a function that no library has; the linker is told to let it pass.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace {}  // namespace

at::Tensor never_defined_anywhere(const at::Tensor& x);

namespace {

at::Tensor run(const at::Tensor& x) {
  return never_defined_anywhere(x);
}

TORCH_LIBRARY(missing_symbol, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
