// Copies of one thread from global to shared memory. They are done when the call returns, but other
// threads may read them only after a barrier.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

// The rest of `bytes`, after those of the source, is zeros.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zeros = 0) {
  const std::size_t copied = bytes - zeros;
  if (copied == 16) {
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
  } else if (copied == 8) {
    *static_cast<uint2*>(to) = *static_cast<const uint2*>(from);
  } else if (copied == 4) {
    *static_cast<unsigned*>(to) = *static_cast<const unsigned*>(from);
  } else {
    for (std::size_t i = 0; i < copied; ++i) {
      static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
    }
  }
  for (std::size_t i = copied; i < bytes; ++i)
    static_cast<char*>(to)[i] = 0;
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(unsigned) {}

using __mbarrier_t __attribute__((unavailable(
    "hardware barriers (mbarrier) are not supported on the virtual GPU"))) = unsigned long long;
template <typename... Given>
__attribute__((
    unavailable("hardware barriers (mbarrier) are not supported on the virtual GPU"))) int
__mbarrier_init(Given&&...);
template <typename... Given>
__attribute__((
    unavailable("hardware barriers (mbarrier) are not supported on the virtual GPU"))) int
__mbarrier_arrive(Given&&...);
template <typename... Given>
__attribute__((
    unavailable("hardware barriers (mbarrier) are not supported on the virtual GPU"))) int
__mbarrier_test_wait(Given&&...);
template <typename... Given>
__attribute__((
    unavailable("hardware barriers (mbarrier) are not supported on the virtual GPU"))) int
__pipeline_arrive_on(Given&&...);
