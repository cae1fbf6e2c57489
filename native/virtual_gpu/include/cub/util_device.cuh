#pragma once
#include <cub/util_debug.cuh>
#include <cub/util_math.cuh>

CUB_NAMESPACE_BEGIN

inline int DeviceCount() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
inline int CurrentDevice() {
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

inline cudaError_t SmVersion(int& version, int device = CurrentDevice()) {
  int major = 0;
  int minor = 0;
  const cudaError_t error =
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (error != cudaSuccess) return error;
  const cudaError_t second =
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  version = major * 100 + minor * 10;
  return second;
}
inline cudaError_t PtxVersion(int& version) {
  return SmVersion(version);
}

inline cudaError_t SyncStream(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}

// Places allocations behind each other in one temporary storage.
template <int Allocations>
cudaError_t AliasTemporaries(void* storage, std::size_t& storage_bytes,
                             void* (&allocations)[Allocations],
                             const std::size_t (&sizes)[Allocations]) {
  std::size_t needed = 0;
  std::size_t offsets[Allocations];
  for (int i = 0; i < Allocations; ++i) {
    offsets[i] = needed;
    needed += (sizes[i] + 255) / 256 * 256;
  }
  needed += 255;
  if (storage == nullptr) {
    storage_bytes = needed;
    return cudaSuccess;
  }
  if (storage_bytes < needed) return cudaErrorInvalidValue;
  const auto first = (reinterpret_cast<std::uintptr_t>(storage) + 255) / 256 * 256;
  for (int i = 0; i < Allocations; ++i) {
    allocations[i] = reinterpret_cast<void*>(first + offsets[i]);
  }
  return cudaSuccess;
}

namespace detail {

// The protocol of all device-wide algorithms: without storage they write its size. The host does
// the work after all that was put into the stream before.
template <typename Work>
cudaError_t run_on_device(void* storage, std::size_t& storage_bytes, cudaStream_t stream,
                          Work work) {
  constexpr std::size_t needed = 256;
  if (storage == nullptr) {
    storage_bytes = needed;
    return cudaSuccess;
  }
  if (storage_bytes < needed) return cudaErrorInvalidValue;
  // That is dynamic parallelism.
  if (opsmith::gpu::in_kernel()) return cudaErrorNotSupported;
  const cudaError_t error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return error;
  opsmith::gpu::DeviceAccess access;
  work();
  return cudaSuccess;
}

}  // namespace detail

CUB_NAMESPACE_END
