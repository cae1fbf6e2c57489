#include <ATen/ATen.h>

at::Tensor half(const at::Tensor& x) { return x / 2; }
