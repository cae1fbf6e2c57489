// Allocates and touches memory until there is none.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

at::Tensor run(const at::Tensor& x) {
  constexpr size_t block = size_t{64} << 20;
  std::vector<void*> kept;
  for (;;) {
    void* memory = std::malloc(block);
    TORCH_CHECK(memory != nullptr, "malloc gave up after ", kept.size(), " blocks");
    std::memset(memory, 1, block);
    kept.push_back(memory);
  }
  return x;
}

TORCH_LIBRARY(endless_allocation, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
