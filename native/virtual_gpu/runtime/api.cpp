// CUDA's runtime functions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

#include "checks.h"
#include "cuda_runtime_api.h"
#include "device_model.h"
#include "errors.h"
#include "memory.h"
#include "opsmith/gpu/launch.h"
#include "streams.h"
#include "worker.h"

namespace opsmith::gpu {

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};
extern const ErrorText error_texts[];
extern const unsigned error_text_count;

namespace {

thread_local int chosen_device = 0;
std::mutex peers_guard;
bool peer_access[device_count][device_count] = {};
unsigned device_flags = cudaDeviceScheduleAuto;
/** In the order of cudaLimit, in bytes or numbers; CUDA's own where it has a default. */
std::size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

const ErrorText* text_of(cudaError_t error) {
  for (unsigned index = 0; index < error_text_count; ++index)
    if (error_texts[index].error == error) return &error_texts[index];
  return nullptr;
}

bool is_device(int device) {
  return device >= 0 && device < device_count;
}

/** An error of a kernel that every later call returns. */
#define OPSMITH_RETURN_STICKY() \
  if (sticky_error() != cudaSuccess) return sticky_error()

cudaError_t make(void** address, std::size_t bytes, MemoryKind kind, Site site) {
  OPSMITH_RETURN_STICKY();
  if (address == nullptr) return failed(cudaErrorInvalidValue);
  if (bytes == 0) {
    *address = nullptr;
    return cudaSuccess;
  }
  *address = allocate(bytes, chosen_device, kind, site);
  if (*address == nullptr) return failed(cudaErrorMemoryAllocation);
  return cudaSuccess;
}

cudaError_t free_memory(void* address, Site site) {
  OPSMITH_RETURN_STICKY();
  if (address == nullptr) return cudaSuccess;
  const Release done = release(address, site);
  if (done == Release::released) return cudaSuccess;
  if (checking) checked::bad_free(address, done, site);
  return failed(cudaErrorInvalidValue);
}

enum class Where { host, device };

Where where_is(const void* address) {
  return in_arena(address) ? Where::device : Where::host;
}

/** True if the direction is what the addresses are. Managed memory is on both sides. */
bool direction_fits(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return true;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return false;
  const auto fits = [](const void* address, bool device) {
    Allocation allocation;
    if (find_allocation(address, &allocation) && allocation.kind != MemoryKind::device) return true;
    // A variable of the device lies among those of the program.
    return device || where_is(address) == Where::host;
  };
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return fits(to, to_device) && fits(from, from_device);
}

/** False if the range leaves its allocation. */
bool range_fits(const void* address, std::size_t bytes) {
  if (!in_arena(address)) return true;
  Allocation allocation;
  if (!find_allocation(address, &allocation) || allocation.freed) return false;
  const auto* begin = static_cast<const std::byte*>(address);
  return begin + bytes <= allocation.begin + allocation.bytes;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream, bool asynchronous, Site site) {
  OPSMITH_RETURN_STICKY();
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return failed(cudaErrorInvalidValue);
  if (!direction_fits(to, from, kind)) return failed(cudaErrorInvalidMemcpyDirection);
  if (checking) checked::copied(to, from, bytes, stream, asynchronous, site);
  if (!range_fits(to, bytes) || !range_fits(from, bytes)) return failed(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream, bool asynchronous, Site site) {
  if (width > to_pitch || width > from_pitch) return failed(cudaErrorInvalidPitchValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = copy(static_cast<char*>(to) + row * to_pitch,
                                   static_cast<const char*>(from) + row * from_pitch, width, kind,
                                   stream, asynchronous, site);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill(void* address, int value, std::size_t bytes, cudaStream_t stream, Site site) {
  OPSMITH_RETURN_STICKY();
  if (bytes == 0) return cudaSuccess;
  if (address == nullptr) return failed(cudaErrorInvalidValue);
  if (checking) checked::filled(address, bytes, stream, site);
  if (!range_fits(address, bytes)) return failed(cudaErrorInvalidValue);
  std::memset(address, value, bytes);
  return cudaSuccess;
}

}  // namespace

cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* function) {
  const KernelFacts facts = facts_of(function);
  *attributes = {};
  attributes->maxThreadsPerBlock = most_threads_of(facts);
  attributes->sharedSizeBytes = facts.static_shared;
  // A kernel of the virtual GPU has no registers of its own: what ptxas gives most small kernels.
  attributes->numRegs = 32;
  attributes->ptxVersion = model::major * 10 + model::minor;
  attributes->binaryVersion = attributes->ptxVersion;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit_of(function));
  attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}

cudaError_t set_function_attribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    const std::size_t own = facts_of(function).static_shared;
    if (value < 0 || static_cast<std::size_t>(value) + own > model::shared_per_block_opt_in)
      return failed(cudaErrorInvalidValue);
    set_dynamic_shared_limit(function, static_cast<std::size_t>(value));
  }
  return cudaSuccess;
}

cudaError_t symbol_address(void** address, const void* symbol) {
  *address = const_cast<void*>(symbol);
  return cudaSuccess;
}

int current_device() {
  return chosen_device;
}
bool peers_can_access(int device, int memory_of) {
  const std::lock_guard lock(peers_guard);
  return device == memory_of || peer_access[device][memory_of];
}

}  // namespace opsmith::gpu

using namespace opsmith::gpu;

cudaError_t cudaGetLastError() {
  if (checking) checked::error_seen();
  return take_error();
}
cudaError_t cudaPeekAtLastError() {
  if (checking) checked::error_seen();
  return peek_error();
}
const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* text = text_of(error);
  return text == nullptr ? "unrecognized error code" : text->text;
}
const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* text = text_of(error);
  return text == nullptr ? "unrecognized error code" : text->name;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = chosen_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return failed(cudaErrorInvalidDevice);
  chosen_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (properties == nullptr) return failed(cudaErrorInvalidValue);
  if (!is_device(device)) return failed(cudaErrorInvalidDevice);
  cudaDeviceProp made{};
  std::snprintf(made.name, sizeof(made.name), "Opsmith virtual GPU %d", device);
  made.totalGlobalMem = device_bytes;
  made.sharedMemPerBlock = model::shared_per_block;
  made.regsPerBlock = 65536;
  made.warpSize = 32;
  made.memPitch = 2147483647;
  made.maxThreadsPerBlock = static_cast<int>(model::threads_per_block);
  made.maxThreadsDim[0] = made.maxThreadsDim[1] = static_cast<int>(model::threads_per_block);
  made.maxThreadsDim[2] = static_cast<int>(model::block_dim_z);
  made.maxGridSize[0] = static_cast<int>(model::grid_dim_x);
  made.maxGridSize[1] = made.maxGridSize[2] = static_cast<int>(model::grid_dim_yz);
  made.clockRate = 1'000'000;  // kHz: clock64 counts nanoseconds
  made.totalConstMem = 65536;
  made.major = model::major;
  made.minor = model::minor;
  made.textureAlignment = 512;
  made.texturePitchAlignment = 32;
  made.deviceOverlap = 1;
  made.multiProcessorCount = model::multiprocessors;
  made.canMapHostMemory = 1;
  made.concurrentKernels = 1;
  made.pciBusID = device + 1;
  made.asyncEngineCount = 1;
  made.unifiedAddressing = 1;
  made.memoryClockRate = 1'000'000;
  made.memoryBusWidth = 64;
  made.l2CacheSize = 4 << 20;
  made.maxThreadsPerMultiProcessor = model::threads_per_multiprocessor;
  made.streamPrioritiesSupported = 1;
  made.globalL1CacheSupported = 1;
  made.localL1CacheSupported = 1;
  made.sharedMemPerMultiprocessor = model::shared_per_multiprocessor;
  made.regsPerMultiprocessor = 65536;
  made.managedMemory = 1;
  made.singleToDoublePrecisionPerfRatio = 2;
  made.concurrentManagedAccess = 1;
  made.computePreemptionSupported = 1;
  made.cooperativeLaunch = 1;
  made.sharedMemPerBlockOptin = model::shared_per_block_opt_in;
  made.maxBlocksPerMultiProcessor = model::blocks_per_multiprocessor;
  made.reservedSharedMemPerBlock = model::shared_reserved_per_block;
  *properties = made;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, device)) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxBlockDimX:
      *value = properties.maxThreadsDim[0];
      break;
    case cudaDevAttrMaxBlockDimY:
      *value = properties.maxThreadsDim[1];
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = properties.maxThreadsDim[2];
      break;
    case cudaDevAttrMaxGridDimX:
      *value = properties.maxGridSize[0];
      break;
    case cudaDevAttrMaxGridDimY:
      *value = properties.maxGridSize[1];
      break;
    case cudaDevAttrMaxGridDimZ:
      *value = properties.maxGridSize[2];
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = static_cast<int>(properties.totalConstMem);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrMaxPitch:
      *value = static_cast<int>(properties.memPitch);
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = properties.regsPerBlock;
      break;
    case cudaDevAttrClockRate:
      *value = properties.clockRate;
      break;
    case cudaDevAttrTextureAlignment:
      *value = static_cast<int>(properties.textureAlignment);
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = properties.memoryClockRate;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = properties.memoryBusWidth;
      break;
    case cudaDevAttrL2CacheSize:
      *value = properties.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = properties.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = properties.regsPerMultiprocessor;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(properties.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = properties.maxBlocksPerMultiProcessor;
      break;
    case cudaDevAttrPciBusId:
      *value = properties.pciBusID;
      break;
    case cudaDevAttrComputeMode:
      *value = cudaComputeModeDefault;
      break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrPageableMemoryAccess:
      *value = 0;
      break;
    default:
      return failed(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(Site) {
  if (checking) {
    checked::stream_event(checked::StreamEvent::synchronize_device, nullptr, nullptr);
  }
  return sticky_error();
}
cudaError_t cudaDeviceReset() {
  release_all();
  clear_errors();
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  device_flags = flags;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = device_flags;
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  *device = 0;
  return cudaSuccess;
}
// Kernels use the host's stack, output and heap: a limit is kept, and read back.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (static_cast<std::size_t>(limit) >= std::size(limits)) return failed(cudaErrorInvalidValue);
  limits[limit] = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (static_cast<std::size_t>(limit) >= std::size(limits)) return failed(cudaErrorInvalidValue);
  *value = limits[limit];
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  if (!is_device(device)) return failed(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02x:00.0", device + 1);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  for (int candidate = 0; candidate < device_count; ++candidate) {
    char own[16];
    cudaDeviceGetPCIBusId(own, sizeof(own), candidate);
    if (std::strcmp(own, text) != 0) continue;
    *device = candidate;
    return cudaSuccess;
  }
  return failed(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return failed(cudaErrorInvalidDevice);
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  if (!is_device(peer) || peer == chosen_device) return failed(cudaErrorInvalidDevice);
  const std::lock_guard lock(peers_guard);
  if (peer_access[chosen_device][peer]) return failed(cudaErrorPeerAccessAlreadyEnabled);
  peer_access[chosen_device][peer] = true;
  return cudaSuccess;
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  if (!is_device(peer)) return failed(cudaErrorInvalidDevice);
  const std::lock_guard lock(peers_guard);
  if (!peer_access[chosen_device][peer]) return failed(cudaErrorPeerAccessNotEnabled);
  peer_access[chosen_device][peer] = false;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** address, std::size_t bytes, Site site) {
  return make(address, bytes, MemoryKind::device, site);
}
cudaError_t cudaFree(void* address, Site site) {
  return free_memory(address, site);
}
cudaError_t cudaMallocManaged(void** address, std::size_t bytes, unsigned, Site site) {
  return make(address, bytes, MemoryKind::managed, site);
}
cudaError_t cudaMallocHost(void** address, std::size_t bytes, unsigned, Site site) {
  return make(address, bytes, MemoryKind::pinned, site);
}
cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned, Site site) {
  return make(address, bytes, MemoryKind::pinned, site);
}
cudaError_t cudaFreeHost(void* address, Site site) {
  return free_memory(address, site);
}
cudaError_t cudaHostGetDevicePointer(void** device_address, void* host_address, unsigned) {
  Allocation allocation;
  if (!find_allocation(host_address, &allocation) || allocation.kind == MemoryKind::device)
    return failed(cudaErrorInvalidValue);
  *device_address = host_address;
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* address) {
  Allocation allocation;
  if (!find_allocation(address, &allocation)) return failed(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned, Site site) {
  if (address == nullptr || bytes == 0) return failed(cudaErrorInvalidValue);
  if (!register_host(address, bytes, site)) return failed(cudaErrorHostMemoryAlreadyRegistered);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* address) {
  return unregister_host(address) ? cudaSuccess : failed(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaMallocPitch(void** address, std::size_t* pitch, std::size_t width,
                            std::size_t height, Site site) {
  *pitch = (width + 511) / 512 * 512;
  return make(address, *pitch * height, MemoryKind::device, site);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent, Site site) {
  pointer->pitch = (extent.width + 511) / 512 * 512;
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return make(&pointer->ptr, pointer->pitch * extent.height * extent.depth, MemoryKind::device,
              site);
}
cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t, Site site) {
  return make(address, bytes, MemoryKind::device, site);
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t, Site site) {
  return free_memory(address, site);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (total != nullptr) *total = device_bytes;
  if (free != nullptr) *free = device_bytes - bytes_in_use(chosen_device);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       Site site) {
  return copy(to, from, bytes, kind, nullptr, false, site);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream, Site site) {
  return copy(to, from, bytes, kind, stream, true, site);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes, Site site) {
  if (!is_device(to_device) || !is_device(from_device)) return failed(cudaErrorInvalidDevice);
  return copy(to, from, bytes, cudaMemcpyDefault, nullptr, false, site);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream, Site site) {
  if (!is_device(to_device) || !is_device(from_device)) return failed(cudaErrorInvalidDevice);
  return copy(to, from, bytes, cudaMemcpyDefault, stream, true, site);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind, Site site) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, nullptr, false, site);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream, Site site) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, true, site);
}

namespace {

cudaError_t copy_box(const cudaMemcpy3DParms& parameters, cudaStream_t stream, bool asynchronous,
                     Site site) {
  if (parameters.srcArray != nullptr || parameters.dstArray != nullptr)
    refuse("CUDA arrays are not supported on the virtual GPU", site);
  const auto row = [](const cudaPitchedPtr& pointer, const cudaPos& at, std::size_t y,
                      std::size_t z) {
    return static_cast<char*>(pointer.ptr) +
           ((at.z + z) * pointer.ysize + at.y + y) * pointer.pitch + at.x;
  };
  for (std::size_t z = 0; z < parameters.extent.depth; ++z) {
    for (std::size_t y = 0; y < parameters.extent.height; ++y) {
      const cudaError_t error =
          copy(row(parameters.dstPtr, parameters.dstPos, y, z),
               row(parameters.srcPtr, parameters.srcPos, y, z), parameters.extent.width,
               parameters.kind, stream, asynchronous, site);
      if (error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters, Site site) {
  return copy_box(*parameters, nullptr, false, site);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream, Site site) {
  return copy_box(*parameters, stream, true, site);
}
cudaError_t cudaMemset(void* address, int value, std::size_t bytes, Site site) {
  return fill(address, value, bytes, nullptr, site);
}
cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream,
                            Site site) {
  return fill(address, value, bytes, stream, site);
}
cudaError_t cudaMemset2D(void* address, std::size_t pitch, int value, std::size_t width,
                         std::size_t height, Site site) {
  return cudaMemset2DAsync(address, pitch, value, width, height, nullptr, site);
}
cudaError_t cudaMemset2DAsync(void* address, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream, Site site) {
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        fill(static_cast<char*>(address) + row * pitch, value, width, stream, site);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent, Site site) {
  return cudaMemset2D(pointer.ptr, pointer.pitch, value, extent.width, extent.height * extent.depth,
                      site);
}
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) {
  return sticky_error();
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  if (attributes == nullptr) return failed(cudaErrorInvalidValue);
  *attributes = {};
  Allocation allocation;
  auto* plain = const_cast<void*>(address);
  if (!find_allocation(address, &allocation) || allocation.freed) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = plain;
    return cudaSuccess;
  }
  attributes->device = allocation.device;
  attributes->devicePointer = plain;
  switch (allocation.kind) {
    case MemoryKind::device:
      attributes->type = cudaMemoryTypeDevice;
      break;
    case MemoryKind::managed:
      attributes->type = cudaMemoryTypeManaged;
      attributes->hostPointer = plain;
      break;
    case MemoryKind::pinned:
    case MemoryKind::registered:
      attributes->type = cudaMemoryTypeHost;
      attributes->hostPointer = plain;
      break;
  }
  return cudaSuccess;
}
