#include <ATen/ATen.h>
#include <no_such_header.h>
#include <torch/library.h>

at::Tensor f(const at::Tensor& x) { return 2 * x; }

TORCH_LIBRARY(missing_header, m) { m.def("f(Tensor x) -> Tensor", &f); }
