#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor join(std::vector<at::Tensor>& parts) {
  return at::cat(parts);
}

TORCH_LIBRARY(mistakes, m) {
  m.def("join(Tensor[] parts) -> Tensor", &join);
}
