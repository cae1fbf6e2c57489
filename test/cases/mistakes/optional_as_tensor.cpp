#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor shift(const at::Tensor& x, const std::optional<at::Tensor>& bias) {
  return at::add(x, bias);
}
