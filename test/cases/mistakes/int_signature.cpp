#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor repeat(const at::Tensor& x, int times) {
  return x.repeat({times});
}

TORCH_LIBRARY(mistakes, m) {
  m.def("repeat(Tensor x, int times) -> Tensor");
}

TORCH_LIBRARY_IMPL(mistakes, CPU, m) {
  m.impl("repeat", &repeat);
}
