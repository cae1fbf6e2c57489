// Fails an assert().

#undef NDEBUG
#include <cassert>

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace {

at::Tensor run(const at::Tensor& x) {
  assert(x.size(0) == 1000 && "x must have a thousand elements");
  return x;
}

TORCH_LIBRARY(assert_fail, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
