// CUDA's runtime functions on the host. Work of every stream is done when its call returns: that is
// one of the orders that CUDA allows.
#pragma once

#include <cstddef>

#include "driver_types.h"
#include "opsmith/gpu/device.h"

#define OPSMITH_CALLER ::opsmith::gpu::Site site = ::opsmith::gpu::Site::here()

// Errors.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);

// Devices.
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize(OPSMITH_CALLER);
cudaError_t cudaDeviceReset();
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned* flags);
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
// Older names, which CUDA 12 still has or had shortly before.
inline cudaError_t cudaThreadSynchronize(OPSMITH_CALLER) {
  return cudaDeviceSynchronize(site);
}
inline cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}

// Memory.
cudaError_t cudaMalloc(void** address, std::size_t bytes, OPSMITH_CALLER);
cudaError_t cudaFree(void* address, OPSMITH_CALLER);
cudaError_t cudaMallocManaged(void** address, std::size_t bytes,
                              unsigned flags = cudaMemAttachGlobal, OPSMITH_CALLER);
cudaError_t cudaMallocHost(void** address, std::size_t bytes, unsigned flags = cudaHostAllocDefault,
                           OPSMITH_CALLER);
cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned flags, OPSMITH_CALLER);
cudaError_t cudaFreeHost(void* address, OPSMITH_CALLER);
cudaError_t cudaHostGetDevicePointer(void** device_address, void* host_address, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned* flags, void* address);
cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned flags, OPSMITH_CALLER);
cudaError_t cudaHostUnregister(void* address);
cudaError_t cudaMallocPitch(void** address, std::size_t* pitch, std::size_t width,
                            std::size_t height, OPSMITH_CALLER);
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent, OPSMITH_CALLER);
cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t stream, OPSMITH_CALLER);
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream, OPSMITH_CALLER);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       OPSMITH_CALLER);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr, OPSMITH_CALLER);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes, OPSMITH_CALLER);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream = nullptr, OPSMITH_CALLER);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind,
                         OPSMITH_CALLER);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr, OPSMITH_CALLER);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters, OPSMITH_CALLER);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream = nullptr,
                              OPSMITH_CALLER);
cudaError_t cudaMemset(void* address, int value, std::size_t bytes, OPSMITH_CALLER);
cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes,
                            cudaStream_t stream = nullptr, OPSMITH_CALLER);
cudaError_t cudaMemset2D(void* address, std::size_t pitch, int value, std::size_t width,
                         std::size_t height, OPSMITH_CALLER);
cudaError_t cudaMemset2DAsync(void* address, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream = nullptr, OPSMITH_CALLER);
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent, OPSMITH_CALLER);
cudaError_t cudaMemPrefetchAsync(const void* address, std::size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* address, std::size_t bytes, cudaMemoryAdvise advice,
                          int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address);

inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) {
  return {x, y, z};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, std::size_t pitch, std::size_t width,
                                          std::size_t height) {
  return {pointer, pitch, width, height};
}

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream, OPSMITH_CALLER);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* address, std::size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                     unsigned flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

namespace opsmith::gpu {

// What the templates of cuda_runtime.h call.
cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* function);
cudaError_t set_function_attribute(const void* function, cudaFuncAttribute attribute, int value);
/** Blocks that a multiprocessor runs at once; 0 for a block that cannot run. */
cudaError_t occupancy(int* blocks, const void* function, int block_size,
                      std::size_t dynamic_shared);
/** The block with which most threads run at once, and as many blocks as the device then runs.
 * `shared_of` gives the dynamic shared memory of a block of so many threads. */
cudaError_t best_block(int* grid, int* block, const void* function, int most_threads,
                       std::size_t (*shared_of)(const void* context, int threads),
                       const void* context);
cudaError_t symbol_address(void** address, const void* symbol);
/** Why the device cannot run the launch: the error is kept for cudaGetLastError. */
cudaError_t can_launch(const LaunchSize& size, const Kernel& kernel);

}  // namespace opsmith::gpu
