#include <ATen/ATen.h>
#include <torch/library.h>

float total(const at::Tensor& x) {
  return x.sum().item<float>();
}

TORCH_LIBRARY(mistakes, m) {
  m.def("total(Tensor x) -> float", &total);
}
