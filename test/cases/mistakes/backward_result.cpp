#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Scale : torch::autograd::Function<Scale> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x) { return x * 2; }
  static at::Tensor backward(AutogradContext* ctx, at::Tensor grad) { return grad * 2; }
};

at::Tensor scale(const at::Tensor& x) {
  return Scale::apply(x);
}
