// Ends the process with exit(3).

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdlib>

namespace {

at::Tensor run(const at::Tensor& x) {
  if (x.numel() > 0) std::exit(3);
  return x;
}

TORCH_LIBRARY(exit_3, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
