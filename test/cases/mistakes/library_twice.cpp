#include <ATen/ATen.h>
#include <torch/library.h>

TORCH_LIBRARY(mistakes, m) {
  m.def("first(Tensor x) -> Tensor");
}

TORCH_LIBRARY(mistakes, m) {
  m.def("second(Tensor x) -> Tensor");
}
