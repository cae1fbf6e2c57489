#include <torch/library.h>

static at::Tensor add(const at::Tensor& x) { return x + ADDED; }

TORCH_LIBRARY(missing_module, m) { m.def("add(Tensor x) -> Tensor", &add); }
