// Calls abort().

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdlib>

namespace {

at::Tensor run(const at::Tensor& x) {
  if (x.numel() > 0) std::abort();
  return x;
}

TORCH_LIBRARY(abort_call, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
