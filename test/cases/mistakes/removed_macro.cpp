#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor twice(const at::Tensor& x) {
  AT_CHECK(x.dim() == 1, "x must have one dimension");
  return 2 * x;
}
