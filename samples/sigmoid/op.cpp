// The logistic function and its derivative, as plain functions: opsmith.json names the ones to
// bind.

#include <ATen/ATen.h>

/// x: any shape, floating point. Returns 1 / (1 + exp(-x)) of that shape.
at::Tensor sigmoid_forward(const at::Tensor& x) {
  TORCH_CHECK(x.is_floating_point(), "sigmoid: x must be floating point, got ", x.scalar_type());
  return 1 / (1 + at::exp(-x));
}

/// grad: dL/dy; output: y = sigmoid(x), both of the shape of x. Returns dL/dx = grad * y * (1 - y).
/// It needs y rather than x, so that no exponential is computed twice.
at::Tensor sigmoid_backward(const at::Tensor& grad, const at::Tensor& output) {
  return grad * output * (1 - output);
}
