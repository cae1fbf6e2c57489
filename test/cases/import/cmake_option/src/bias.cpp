#include "scaled/bias.h"

#include <ATen/ATen.h>

at::Tensor add_bias(const at::Tensor& x, double bias) { return x + bias; }
