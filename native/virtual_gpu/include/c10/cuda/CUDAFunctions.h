#pragma once

// Stands for libtorch's header: the device functions of c10, on the virtual GPU's runtime.

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAMacros.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <optional>

namespace c10::cuda {

C10_CUDA_API DeviceIndex device_count() noexcept;
C10_CUDA_API DeviceIndex device_count_ensure_non_zero();
C10_CUDA_API DeviceIndex current_device();
C10_CUDA_API void set_device(DeviceIndex device, bool force = false);
C10_CUDA_API void device_synchronize();
C10_CUDA_API bool hasPrimaryContext(DeviceIndex device);
C10_CUDA_API std::optional<DeviceIndex> getDeviceIndexWithPrimaryContext();

C10_CUDA_API cudaError_t GetDeviceCount(int* count);
C10_CUDA_API cudaError_t GetDevice(DeviceIndex* device);
C10_CUDA_API cudaError_t SetDevice(DeviceIndex device, bool force = false);
C10_CUDA_API cudaError_t MaybeSetDevice(DeviceIndex device);
C10_CUDA_API DeviceIndex ExchangeDevice(DeviceIndex device);
C10_CUDA_API DeviceIndex MaybeExchangeDevice(DeviceIndex device);
/// A device is set when it is asked for, so nothing is left to do later.
inline void SetTargetDevice() {}

inline void stream_synchronize(cudaStream_t stream) {
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
}

inline void memcpy_and_sync(void* to, const void* from, int64_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  C10_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), kind, stream));
  stream_synchronize(stream);
}

}  // namespace c10::cuda
