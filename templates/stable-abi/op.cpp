#include <cmath>

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

#define FLOATING_DISPATCH(type, ...)                                     \
  THO_DISPATCH_SWITCH(type, "my_op",                                     \
                      THO_DISPATCH_CASE(ScalarType::Double, __VA_ARGS__) \
                          THO_DISPATCH_CASE(ScalarType::Float, __VA_ARGS__))

/// x: any shape. Returns x * sigmoid(x) of that shape.
Tensor forward(const Tensor& x) {
  const Tensor in = torch::stable::contiguous(x);
  Tensor y = torch::stable::empty_like(in);
  FLOATING_DISPATCH(in.scalar_type(), [&] {
    const auto* from = in.const_data_ptr<scalar_t>();
    auto* to = y.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < in.numel(); ++i)
      to[i] = from[i] / (1 + std::exp(-from[i]));
  });
  return y;
}

/// grad: dL/dy, of the shape of x. Returns dL/dx.
Tensor backward(const Tensor& grad, const Tensor& x) {
  STD_TORCH_CHECK(grad.scalar_type() == x.scalar_type() && grad.sizes().equals(x.sizes()),
                  "my_op: grad must have the dtype and shape of x");
  const Tensor incoming = torch::stable::contiguous(grad);
  const Tensor in = torch::stable::contiguous(x);
  Tensor grad_x = torch::stable::empty_like(in);
  FLOATING_DISPATCH(in.scalar_type(), [&] {
    const auto* g = incoming.const_data_ptr<scalar_t>();
    const auto* from = in.const_data_ptr<scalar_t>();
    auto* to = grad_x.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < in.numel(); ++i) {
      const scalar_t s = 1 / (1 + std::exp(-from[i]));
      to[i] = g[i] * s * (1 + from[i] * (1 - s));
    }
  });
  return grad_x;
}

// Shapes without values: what torch.compile and torch.export ask for.
Tensor forward_meta(const Tensor& x) {
  return torch::stable::empty_like(torch::stable::contiguous(x));
}

Tensor backward_meta(const Tensor& /*grad*/, const Tensor& x) {
  return torch::stable::empty_like(torch::stable::contiguous(x));
}

}  // namespace

STABLE_TORCH_LIBRARY(my_op, m) {
  m.def("forward(Tensor x) -> Tensor");
  m.def("backward(Tensor grad, Tensor x) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(my_op, CPU, m) {
  m.impl("forward", TORCH_BOX(&forward));
  m.impl("backward", TORCH_BOX(&backward));
}

STABLE_TORCH_LIBRARY_IMPL(my_op, Meta, m) {
  m.impl("forward", TORCH_BOX(&forward_meta));
  m.impl("backward", TORCH_BOX(&backward_meta));
}
