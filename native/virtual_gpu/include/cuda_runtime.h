// What nvcc includes before every .cu file.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "opsmith/gpu/atomics.h"
#include "opsmith/gpu/checked_values.h"
#include "opsmith/gpu/kernel_facts.h"
#include "opsmith/gpu/launch.h"
#include "opsmith/gpu/local_values.h"
#include "opsmith/gpu/macros.h"
#include "opsmith/gpu/math.h"
#include "opsmith/gpu/ptx.h"
#include "opsmith/gpu/unsupported.h"
#include "opsmith/gpu/warp.h"
#include "vector_functions.h"
#include "vector_types.h"

// Typed forms of the runtime's functions.

template <typename T>
inline cudaError_t cudaMalloc(T** address, std::size_t bytes, OPSMITH_CALLER) {
  return cudaMalloc(reinterpret_cast<void**>(address), bytes, site);
}
template <typename T>
inline cudaError_t cudaMallocManaged(T** address, std::size_t bytes,
                                     unsigned flags = cudaMemAttachGlobal, OPSMITH_CALLER) {
  return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags, site);
}
template <typename T>
inline cudaError_t cudaMallocHost(T** address, std::size_t bytes,
                                  unsigned flags = cudaHostAllocDefault, OPSMITH_CALLER) {
  return cudaMallocHost(reinterpret_cast<void**>(address), bytes, flags, site);
}
template <typename T>
inline cudaError_t cudaHostAlloc(T** address, std::size_t bytes, unsigned flags, OPSMITH_CALLER) {
  return cudaHostAlloc(reinterpret_cast<void**>(address), bytes, flags, site);
}
template <typename T>
inline cudaError_t cudaMallocPitch(T** address, std::size_t* pitch, std::size_t width,
                                   std::size_t height, OPSMITH_CALLER) {
  return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height, site);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** address, std::size_t bytes, cudaStream_t stream,
                                   OPSMITH_CALLER) {
  return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream, site);
}
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T** device_address, void* host_address,
                                            unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device_address), host_address, flags);
}

// Symbols: a variable of the device is a variable of the process.

template <typename T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return ::opsmith::gpu::symbol_address(address, &symbol);
}
template <typename P, typename T>
inline cudaError_t cudaGetSymbolAddress(P** address, const T& symbol) {
  return ::opsmith::gpu::symbol_address(reinterpret_cast<void**>(address), &symbol);
}
template <typename T>
inline cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                      OPSMITH_CALLER) {
  auto* to = reinterpret_cast<char*>(const_cast<std::remove_cv_t<T>*>(&symbol)) + offset;
  return cudaMemcpy(to, from, bytes, kind, site);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind,
                                           cudaStream_t stream = nullptr, OPSMITH_CALLER) {
  auto* to = reinterpret_cast<char*>(const_cast<std::remove_cv_t<T>*>(&symbol)) + offset;
  return cudaMemcpyAsync(to, from, bytes, kind, stream, site);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                        std::size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                        OPSMITH_CALLER) {
  return cudaMemcpy(to, reinterpret_cast<const char*>(&symbol) + offset, bytes, kind, site);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t stream = nullptr, OPSMITH_CALLER) {
  return cudaMemcpyAsync(to, reinterpret_cast<const char*>(&symbol) + offset, bytes, kind, stream,
                         site);
}

// Functions of the device.

template <typename F>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* function) {
  return ::opsmith::gpu::function_attributes(attributes, reinterpret_cast<const void*>(function));
}
template <typename F>
inline cudaError_t cudaFuncSetAttribute(F* function, cudaFuncAttribute attribute, int value) {
  return ::opsmith::gpu::set_function_attribute(reinterpret_cast<const void*>(function), attribute,
                                                value);
}
template <typename F>
inline cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
  return cudaSuccess;
}
template <typename F>
inline cudaError_t cudaFuncSetSharedMemConfig(F*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <typename F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F* function,
                                                                 int block_size,
                                                                 std::size_t dynamic_shared) {
  return ::opsmith::gpu::occupancy(blocks, reinterpret_cast<const void*>(function), block_size,
                                   dynamic_shared);
}
template <typename F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, F* function, int block_size, std::size_t dynamic_shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                       dynamic_shared);
}
template <typename F, typename SharedOfBlock>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block,
                                                                  F* function, SharedOfBlock shared,
                                                                  int limit = 0) {
  const auto shared_of = [](const void* context, int threads) {
    const auto& own = *static_cast<const SharedOfBlock*>(context);
    return static_cast<std::size_t>(own(threads));
  };
  return ::opsmith::gpu::best_block(grid, block, reinterpret_cast<const void*>(function), limit,
                                    shared_of, &shared);
}
template <typename F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* function,
                                                      std::size_t dynamic_shared = 0,
                                                      int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, function, [dynamic_shared](int) { return dynamic_shared; }, limit);
}
