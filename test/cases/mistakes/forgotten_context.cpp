#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Scale : torch::autograd::Function<Scale> {
  static at::Tensor forward(const at::Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext* ctx, variable_list g) { return {g[0]}; }
};

at::Tensor scale(const at::Tensor& x) {
  return Scale::apply(x);
}
