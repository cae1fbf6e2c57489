#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor clip(const at::Tensor& x) {
  if (x > 0) return x;
  return x.zeros_like();
}
