#pragma once

#include <torch/library.h>

at::Tensor add_bias(const at::Tensor& x, double bias);
