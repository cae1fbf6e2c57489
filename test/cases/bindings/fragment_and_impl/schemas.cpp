// Schemas in one file, kernels in the other.

#include <torch/library.h>

TORCH_LIBRARY(fragment_and_impl, m) {
  m.def("axpy(Tensor x, Tensor y, *, Scalar alpha=1) -> Tensor");
}

TORCH_LIBRARY_FRAGMENT(fragment_and_impl, m) {
  m.def("axpy.out(Tensor x, Tensor y, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)");
  m.def("scale_(Tensor(a!) x, float by=2.0) -> Tensor(a!)");
}
