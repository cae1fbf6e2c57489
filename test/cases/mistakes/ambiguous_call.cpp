#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor total(const at::Tensor& x) {
  return at::sum(x, {});
}
