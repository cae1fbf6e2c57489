#pragma once

// Stands for libtorch's header: the functions that operators call. Memory is not cached: what is
// freed leaves the device at once, so a kernel that still uses it is found.

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/cuda/CUDAMacros.h>
#include <c10/cuda/CUDAStream.h>

#include <cstddef>
#include <utility>

namespace c10::cuda::CUDACachingAllocator {

using c10::CachingDeviceAllocator::DeviceStats;

/// The allocator of all CUDA devices; it allocates on the current one.
C10_CUDA_API DeviceAllocator* get();

C10_CUDA_API void* raw_alloc(size_t bytes);
C10_CUDA_API void* raw_alloc_with_stream(size_t bytes, cudaStream_t stream);
C10_CUDA_API void raw_delete(void* data);

inline void init(int) {}
inline void emptyCache(MempoolId_t pool = {0, 0}) {
  get()->emptyCache(pool);
}
inline void recordStream(const DataPtr& data, CUDAStream stream) {
  get()->recordStream(data, stream.unwrap());
}
inline DeviceStats getDeviceStats(DeviceIndex device) {
  return get()->getDeviceStats(device);
}
inline void resetAccumulatedStats(DeviceIndex device) {
  get()->resetAccumulatedStats(device);
}
inline void resetPeakStats(DeviceIndex device) {
  get()->resetPeakStats(device);
}
inline std::pair<size_t, size_t> getMemoryInfo(DeviceIndex device) {
  return get()->getMemoryInfo(device);
}

}  // namespace c10::cuda::CUDACachingAllocator
