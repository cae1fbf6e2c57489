// What libtorch's headers declare for nvcc only (__CUDACC__), and operators use. The headers are
// read as the host's here, from the precompiled headers that all sources share.
#pragma once

namespace at {
/// Of packed accessors: nothing else points to the elements.
template <typename T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};
}  // namespace at

namespace torch::headeronly {
using at::RestrictPtrTraits;
}  // namespace torch::headeronly
