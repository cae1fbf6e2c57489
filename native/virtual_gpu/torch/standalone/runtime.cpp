// The part of the CUDA runtime that libtorch's virtual device needs, for builds without the virtual
// GPU's runtime: two devices, memory, streams and events, and no kernels. All work is done when a
// function returns, so every stream is idle and an event is done once it is recorded.

#include <cuda_runtime.h>
#include <sys/sysinfo.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <utility>

#include "device_memory.h"

struct CUstream_st {
  int priority = 0;
};

struct CUevent_st {
  bool with_time = true;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};

namespace {

constexpr int number_of_devices = 2;
constexpr int greatest_priority = -5;
constexpr size_t alignment = 512;  // cudaMalloc's

thread_local int device_of_thread = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t ended(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

struct Block {
  size_t bytes = 0;
  int device = 0;
};

struct Blocks {
  std::shared_mutex mutex;
  std::map<const char*, Block> live;
  size_t bytes[number_of_devices] = {};
};

// Leaked: tensors may be freed while the process ends.
Blocks& blocks() {
  static auto* instance = new Blocks();
  return *instance;
}

size_t total_memory() {
  struct sysinfo info{};
  sysinfo(&info);
  return static_cast<size_t>(info.totalram) * info.mem_unit;
}

}  // namespace

namespace opsmith::gpu {

void* allocate(size_t bytes, int device) {
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* data = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (data == nullptr) return nullptr;
  const std::unique_lock lock(blocks().mutex);
  blocks().live[static_cast<const char*>(data)] = {bytes, device};
  blocks().bytes[device] += bytes;
  return data;
}

void release(void* data) {
  if (data == nullptr) return;
  {
    const std::unique_lock lock(blocks().mutex);
    const auto found = blocks().live.find(static_cast<const char*>(data));
    if (found == blocks().live.end()) return;
    blocks().bytes[found->second.device] -= found->second.bytes;
    blocks().live.erase(found);
  }
  std::free(data);
}

int device_of(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  const std::shared_lock lock(blocks().mutex);
  auto after = blocks().live.upper_bound(byte);
  if (after == blocks().live.begin()) return -1;
  const auto& [start, block] = *--after;
  return byte < start + block.bytes || byte == start ? block.device : -1;
}

// No kernels, so nobody asks what was written.
void mark_written(const void*, size_t) {}

}  // namespace opsmith::gpu

extern "C" {

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = number_of_devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = device_of_thread;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= number_of_devices) return ended(cudaErrorInvalidDevice);
  device_of_thread = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= number_of_devices) return ended(cudaErrorInvalidDevice);
  *properties = cudaDeviceProp{};
  std::strcpy(properties->name, "Virtual GPU");
  properties->totalGlobalMem = total_memory();
  properties->sharedMemPerBlock = 48 * 1024;
  properties->sharedMemPerBlockOptin = 163 * 1024;
  properties->regsPerBlock = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 2147483647;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->major = 8;
  properties->multiProcessorCount = 108;
  properties->maxThreadsPerMultiProcessor = 2048;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = total_memory();
  const std::shared_lock lock(blocks().mutex);
  const size_t used = blocks().bytes[device_of_thread];
  *free = used < *total ? *total - used : 0;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = greatest_priority;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int, int priority) {
  *stream = new CUstream_st{priority};
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = stream == nullptr ? 0 : stream->priority;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) {
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  *event = new CUevent_st{(flags & cudaEventDisableTiming) == 0, false, {}};
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const bool measured = start->recorded && end->recorded && start->with_time && end->with_time;
  if (!measured) return ended(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}
}
