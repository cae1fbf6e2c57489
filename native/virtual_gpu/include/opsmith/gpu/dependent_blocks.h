// Read by each rewritten source: whether its blocks may wait for each other. Not a part of
// cuda_runtime.h, which a compile server has read before it knows the source.
#pragma once

#ifdef OPSMITH_GPU_DEPENDENT_BLOCKS
extern "C" void opsmith_gpu_blocks_depend_on_each_other();
namespace {
[[maybe_unused]] const bool opsmith_blocks_depend = [] {
  opsmith_gpu_blocks_depend_on_each_other();
  return true;
}();
}  // namespace
#endif
