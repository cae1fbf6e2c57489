#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor axpy(const at::Tensor& x, const at::Tensor& y, const at::Scalar& alpha) {
  return alpha * x + y;
}

at::Tensor& axpy_out(const at::Tensor& x, const at::Tensor& y, const at::Scalar& alpha,
                     at::Tensor& out) {
  return out.copy_(alpha * x + y);
}

at::Tensor& scale_(at::Tensor& x, double by) {
  return x.mul_(by);
}

TORCH_LIBRARY_IMPL(fragment_and_impl, CPU, m) {
  m.impl("axpy", &axpy);
  m.impl("axpy.out", &axpy_out);
  m.impl("scale_", &scale_);
}

TORCH_LIBRARY_IMPL(fragment_and_impl, Meta, m) {
  m.impl("axpy", &axpy);
}

}  // namespace
