#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

/// x, y: the same shape. Returns 3x - y of that shape.
at::Tensor my_op(const at::Tensor& x, const at::Tensor& y) {
  TORCH_CHECK(x.sizes() == y.sizes(), "my_op: x and y must have the same shape, got ", x.sizes(),
              " and ", y.sizes());
  return 3 * x - y;
}

TORCH_LIBRARY(my_op, m) {
  m.def("my_op(Tensor x, Tensor y) -> Tensor", &my_op);
}

}  // namespace
