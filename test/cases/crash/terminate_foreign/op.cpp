// Throws an object of its own type in a thread that nobody can catch it in.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <thread>

namespace {

struct not_a_standard_exception {
  int value;
};

at::Tensor run(const at::Tensor& x) {
  std::thread worker([] { throw not_a_standard_exception{42}; });
  worker.join();
  return x;
}

TORCH_LIBRARY(terminate_foreign, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
