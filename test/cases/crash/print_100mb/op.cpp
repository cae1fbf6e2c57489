// Prints 100 MB.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdio>
#include <string>

namespace {

at::Tensor run(const at::Tensor& x) {
  const std::string line = std::string(1023, 'x') + "\n";
  for (int i = 0; i < 100 * 1024; ++i)
    std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
  return x;
}

TORCH_LIBRARY(print_100mb, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
