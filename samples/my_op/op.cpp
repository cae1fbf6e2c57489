// z = 3x - y, with its gradients, bound as a PyTorch extension binds them.

#include <torch/extension.h>

#include <vector>

/// x, y: any shape, the same for both. Returns 3x - y of that shape.
torch::Tensor my_op_forward(const torch::Tensor& x, const torch::Tensor& y) {
  TORCH_CHECK(x.sizes() == y.sizes(), "my_op: x and y must have the same shape, got ", x.sizes(),
              " and ", y.sizes());
  return 3 * x - y;
}

/// grad: dL/dz, of the shape of z. Returns dL/dx and dL/dy, of the same shape.
std::vector<torch::Tensor> my_op_backward(const torch::Tensor& grad) {
  return {3 * grad, -grad};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "3x - y and its gradients";
  m.def("forward", &my_op_forward, "z = 3x - y");
  m.def("backward", &my_op_backward, "Gradients of z = 3x - y with respect to x and y");
}
