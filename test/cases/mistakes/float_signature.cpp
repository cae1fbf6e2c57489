#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor scale(const at::Tensor& x, float factor) {
  return x * factor;
}

TORCH_LIBRARY(mistakes, m) {
  m.def("scale", &scale);
}
