#pragma once
#include <cub/util_debug.cuh>

CUB_NAMESPACE_BEGIN

// It keeps no freed memory: an access after DeviceFree is found as for cudaFree.
struct CachingDeviceAllocator {
  explicit CachingDeviceAllocator(unsigned bin_growth, unsigned min_bin = 1, unsigned max_bin = ~0u,
                                  std::size_t max_cached_bytes = ~std::size_t{0},
                                  bool skip_cleanup = false, bool debug = false) {
    static_cast<void>(bin_growth);
    static_cast<void>(min_bin);
    static_cast<void>(max_bin);
    static_cast<void>(max_cached_bytes);
    static_cast<void>(skip_cleanup);
    static_cast<void>(debug);
  }
  explicit CachingDeviceAllocator(bool skip_cleanup = false, bool debug = false)
      : CachingDeviceAllocator(8, 3, 7, 0, skip_cleanup, debug) {}

  cudaError_t SetMaxCachedBytes(std::size_t) { return cudaSuccess; }
  cudaError_t DeviceAllocate(int device, void** memory, std::size_t bytes, cudaStream_t = 0) {
    return on(device, [&] { return cudaMalloc(memory, bytes); });
  }
  cudaError_t DeviceAllocate(void** memory, std::size_t bytes, cudaStream_t = 0) {
    return cudaMalloc(memory, bytes);
  }
  cudaError_t DeviceFree(int device, void* memory) {
    return on(device, [&] { return cudaFree(memory); });
  }
  cudaError_t DeviceFree(void* memory) { return cudaFree(memory); }
  cudaError_t FreeAllCached() { return cudaSuccess; }

 private:
  template <typename Call>
  static cudaError_t on(int device, Call call) {
    int current = 0;
    cudaError_t error = cudaGetDevice(&current);
    if (error == cudaSuccess) error = cudaSetDevice(device);
    if (error == cudaSuccess) error = call();
    const cudaError_t back = cudaSetDevice(current);
    return error == cudaSuccess ? back : error;
  }
};

CUB_NAMESPACE_END
