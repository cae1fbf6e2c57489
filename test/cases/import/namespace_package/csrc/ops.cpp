#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor negated(const at::Tensor& x);

TORCH_LIBRARY(acme, m) { m.def("negated(Tensor x) -> Tensor", &negated); }
