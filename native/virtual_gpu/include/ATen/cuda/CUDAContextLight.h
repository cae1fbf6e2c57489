#pragma once

// Stands for libtorch's header, without the handles of cuBLAS, cuSPARSE and cuSOLVER.

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace at::cuda {

inline int64_t getNumGPUs() {
  return c10::cuda::device_count();
}
inline bool is_available() {
  return c10::cuda::device_count() > 0;
}

TORCH_CUDA_CPP_API cudaDeviceProp* getCurrentDeviceProperties();
TORCH_CUDA_CPP_API cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device);
TORCH_CUDA_CPP_API int warp_size();
/// Device memory is one address space, so each device reaches the others'.
TORCH_CUDA_CPP_API bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer);
TORCH_CUDA_CPP_API c10::Allocator* getCUDADeviceAllocator();

}  // namespace at::cuda
