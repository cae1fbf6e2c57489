#include <ATen/ATen.h>
#include <torch/library.h>

torch::Tensor twice(const torch::Tensor& x) {
  return 2 * x;
}
