#include <ATen/ATen.h>
#include <torch/library.h>

TORCH_LIBRARY(my_op, m) {
  // m.def("name(Tensor x) -> Tensor", &function);
}
