// Overwrites the allocator's own words before a block, then frees it.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdint>
#include <cstdlib>

namespace {

at::Tensor run(const at::Tensor& x) {
  auto* volatile block = static_cast<int64_t*>(std::malloc(4096));
  // The size that the allocator keeps in front of the block.
  block[-1] = 0x4141414141414140;
  block[-2] = 0x4141414141414140;
  std::free(block);
  return x;
}

TORCH_LIBRARY(heap_corruption, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
