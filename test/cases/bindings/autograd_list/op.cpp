// Differentiable operators with lists and numbers in their signatures.

#include <torch/extension.h>

#include <vector>

// outputs[i] = x^(i+1) * scale * w, for i < count
std::vector<torch::Tensor> powers(const torch::Tensor& x, int count, double scale,
                                  const std::optional<torch::Tensor>& w) {
  std::vector<torch::Tensor> outputs;
  torch::Tensor power = x;
  for (int i = 0; i < count; ++i) {
    outputs.push_back(w ? power * scale * *w : power * scale);
    power = power * x;
  }
  return outputs;
}

std::tuple<torch::Tensor, torch::Tensor> powers_backward(std::vector<torch::Tensor> grads,
                                                         const torch::Tensor& x, double scale,
                                                         const std::optional<torch::Tensor>& w) {
  torch::Tensor grad_x = torch::zeros_like(x);
  torch::Tensor grad_w = torch::zeros_like(x);
  for (size_t i = 0; i < grads.size(); ++i) {
    const auto n = static_cast<double>(i + 1);
    const torch::Tensor factor = w ? scale * *w : torch::full_like(x, scale);
    grad_x = grad_x + grads[i] * n * x.pow(n - 1) * factor;
    grad_w = grad_w + grads[i] * x.pow(n) * scale;
  }
  return {grad_x, w ? grad_w : torch::Tensor()};
}

// The sum of a list, each element times its weight.
torch::Tensor weighted_sum(const std::vector<torch::Tensor>& xs, std::vector<double> weights) {
  torch::Tensor sum = torch::zeros_like(xs.at(0));
  for (size_t i = 0; i < xs.size(); ++i)
    sum = sum + xs[i] * weights.at(i);
  return sum;
}

std::vector<torch::Tensor> weighted_sum_backward(const torch::Tensor& grad,
                                                 const std::vector<double>& weights) {
  std::vector<torch::Tensor> grads;
  for (double weight : weights)
    grads.push_back(grad * weight);
  return grads;
}

// Three results, one of them not differentiable; backward uses one gradient and one output.
std::tuple<torch::Tensor, torch::Tensor, int> exp_and_sign(const torch::Tensor& x) {
  return {x.exp(), (x > 0), static_cast<int>(x.numel())};
}

torch::Tensor exp_backward(const torch::Tensor& grad, const torch::Tensor& y) {
  return grad * y;
}

// A gradient of the wrong shape, and too few: what the messages are for.
torch::Tensor identity(const torch::Tensor& x, const torch::Tensor& y) {
  return x + y;
}
std::vector<torch::Tensor> wrong_shape(const torch::Tensor& grad) {
  return {grad, grad.sum(0)[0]};
}
std::vector<torch::Tensor> too_few(const torch::Tensor& grad) {
  return {grad};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("powers", &powers, py::arg("x"), py::arg("count"), py::arg("scale") = 1.0,
        py::arg("w") = py::none());
  m.def("powers_backward", &powers_backward);
  m.def("weighted_sum", &weighted_sum);
  m.def("weighted_sum_backward", &weighted_sum_backward);
  m.def("exp_and_sign", &exp_and_sign);
  m.def("exp_backward", &exp_backward);
  m.def("identity", &identity);
  m.def("wrong_shape", &wrong_shape);
  m.def("too_few", &too_few);
}
