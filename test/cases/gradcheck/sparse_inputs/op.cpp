// A product with a sparse matrix: its gradient has the elements that the matrix specifies.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// x [rows, inner] sparse_coo, y [inner, columns]; `scale` is what the gradient of x is wrong by.
struct Product : torch::autograd::Function<Product> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y, double scale) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x, y});
    ctx->saved_data["scale"] = scale;
    return at::mm(x, y);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const auto &x = saved[0], &y = saved[1];
    const double scale = ctx->saved_data["scale"].toDouble();
    const Tensor of_x = (scale * grads[0].mm(y.t())).sparse_mask(x.coalesce());
    return {of_x, at::mm(x.t(), grads[0]), Tensor()};
  }
};

Tensor product(const Tensor& x, const Tensor& y) {
  TORCH_CHECK(x.layout() == at::kSparse, "x must be sparse_coo, it is ", x.layout());
  return Product::apply(x, y, 1.0);
}

Tensor product_twice(const Tensor& x, const Tensor& y) {
  return Product::apply(x, y, 2.0);
}

}  // namespace

TORCH_LIBRARY(sparse_inputs, m) {
  m.def("product(Tensor x, Tensor y) -> Tensor", &product);
  m.def("product_twice(Tensor x, Tensor y) -> Tensor", &product_twice);
}
