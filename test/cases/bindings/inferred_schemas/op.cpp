// Schemas that libtorch infers from the C++ types: arguments have no names.

#include <torch/script.h>

torch::Tensor clamp_sum(const torch::Tensor& x, double low, int64_t times, bool square,
                        std::optional<torch::Tensor> y) {
  torch::Tensor z = x.clamp_min(low) * times;
  if (square) z = z.square();
  return y ? z + *y : z;
}

std::tuple<torch::Tensor, torch::Tensor> split_sign(torch::Tensor x) {
  return {torch::relu(x), torch::relu(-x)};
}

torch::Tensor halved(const torch::Tensor& value) {
  return value / 2;
}

// The API of PyTorch 1.0, which older extensions still use.
static auto registry = torch::RegisterOperators("inferred_schemas::halved", &halved);

TORCH_LIBRARY(inferred_schemas, m) {
  m.def("clamp_sum", &clamp_sum);
  m.def("split_sign", TORCH_FN(split_sign));
  m.def("negated", [](const torch::Tensor& x) { return -x; });
}
