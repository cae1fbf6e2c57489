// A graph convolution layer, out = a x w + b, bound as a PyTorch extension.
//   a [nodes, nodes]    normalised adjacency matrix
//   x [nodes, in]       features of each node
//   w [in, out], b [out]

#include <torch/extension.h>

#include <tuple>

torch::Tensor gc_forward(const torch::Tensor& a, const torch::Tensor& x, const torch::Tensor& w,
                         const torch::Tensor& b) {
  TORCH_CHECK(a.dim() == 2 && a.size(0) == a.size(1), "gc_layer: a must be square, got ",
              a.sizes());
  TORCH_CHECK(x.dim() == 2 && x.size(0) == a.size(0), "gc_layer: x must have ", a.size(0),
              " rows, one for each node, got ", x.sizes());
  TORCH_CHECK(w.dim() == 2 && w.size(0) == x.size(1), "gc_layer: w must have ", x.size(1),
              " rows, one for each column of x, got ", w.sizes());
  TORCH_CHECK(b.dim() == 1 && b.size(0) == w.size(1), "gc_layer: b must have ", w.size(1),
              " elements, got ", b.sizes());
  return a.mm(x).mm(w) + b;
}

/// grad [nodes, out] is dL/dout. Returns the gradients of a, x, w and b, each of its input's shape.
std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor> gc_backward(
    const torch::Tensor& grad, const torch::Tensor& a, const torch::Tensor& x,
    const torch::Tensor& w) {
  const torch::Tensor grad_ax = grad.mm(w.t());  // of the product a x, [nodes, in]
  return {grad_ax.mm(x.t()), a.t().mm(grad_ax), a.mm(x).t().mm(grad), grad.sum(0)};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "Graph convolution";
  m.def("forward", &gc_forward, "out = a x w + b", py::arg("a"), py::arg("x"), py::arg("w"),
        py::arg("b"));
  m.def("backward", &gc_backward, "Gradients of a, x, w and b", py::arg("grad"), py::arg("a"),
        py::arg("x"), py::arg("w"));
}
