// Throws while its static objects are made, so the library never finishes loading.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <stdexcept>

namespace {

struct refuses_to_exist {
  refuses_to_exist() { throw std::runtime_error("thrown while the library was being loaded"); }
};

const refuses_to_exist object;

at::Tensor run(const at::Tensor& x) {
  return x;
}

TORCH_LIBRARY(static_constructor_throws, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
