#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor clear(at::Tensor x) {
  x = {};
  return x;
}
