#include <ATen/ATen.h>
#include <torch/library.h>

#include "scaled/bias.h"

#ifndef SCALED_BIAS
#error "The option SCALED_WITH_BIAS is off."
#endif

at::Tensor scaled(const at::Tensor& x, double factor) { return add_bias(x * factor, SCALED_BIAS); }

TORCH_LIBRARY(scaled_ops, m) { m.def("scaled(Tensor x, float factor) -> Tensor", &scaled); }
