#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

at::Tensor scale(const at::Tensor& x, double factor) {
  at::Tensor y = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [] { y.copy_(x * factor); });
  return y;
}
