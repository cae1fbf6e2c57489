#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor scale(const at::Tensor& x, double factor) {
  at::Tensor y = x * factor;
}
