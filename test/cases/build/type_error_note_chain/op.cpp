#include <ATen/ATen.h>
#include <torch/library.h>

#include <string>

template <typename T>
at::Tensor scaled(const at::Tensor& x, const T& factor) {
  return x * factor.value();
}

template <typename T>
at::Tensor shifted(const at::Tensor& x, const T& factor) {
  return scaled(x, factor) + 1;
}

at::Tensor f(const at::Tensor& x) { return shifted(x, std::string("two")); }

TORCH_LIBRARY(type_error_note_chain, m) { m.def("f(Tensor x) -> Tensor", &f); }
