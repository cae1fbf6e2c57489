#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

at::Tensor total(const at::Tensor& x) {
  at::Tensor y = AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "total", [&] {
    scalar_t sum = 0;
    sum += x.sum().item<scalar_t>();
  });
  return y;
}
