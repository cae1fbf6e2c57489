#include <ATen/ATen.h>
#include <torch/library.h>

bool is_defined(const at::Tensor& x) {
  return x.impl_.defined();
}
