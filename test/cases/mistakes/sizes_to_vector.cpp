#include <ATen/ATen.h>
#include <torch/library.h>

std::vector<int64_t> shape(const at::Tensor& x) {
  std::vector<int64_t> sizes = x.sizes();
  return sizes;
}
