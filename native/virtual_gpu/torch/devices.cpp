// c10's and ATen's functions about devices and streams, which libtorch's CUDA libraries define
// elsewhere.

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "device_memory.h"

namespace c10::cuda {

void check_result(cudaError_t error, const char*, const char*, uint32_t) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();
  C10_THROW_ERROR(CUDAError, std::string("CUDA error: ") + cudaGetErrorString(error));
}

DeviceIndex device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 0;
  return static_cast<DeviceIndex>(count);
}

DeviceIndex device_count_ensure_non_zero() {
  const DeviceIndex count = device_count();
  TORCH_CHECK(count > 0, "No CUDA GPUs are available");
  return count;
}

DeviceIndex current_device() {
  DeviceIndex device = -1;
  C10_CUDA_CHECK(GetDevice(&device));
  return device;
}

void set_device(DeviceIndex device, bool force) {
  C10_CUDA_CHECK(SetDevice(device, force));
}
void device_synchronize() {
  C10_CUDA_CHECK(cudaDeviceSynchronize());
}
bool hasPrimaryContext(DeviceIndex device) {
  return device >= 0 && device < device_count();
}
std::optional<DeviceIndex> getDeviceIndexWithPrimaryContext() {
  return current_device();
}

cudaError_t GetDeviceCount(int* count) {
  return cudaGetDeviceCount(count);
}

cudaError_t GetDevice(DeviceIndex* device) {
  int index = -1;
  const cudaError_t result = cudaGetDevice(&index);
  if (result == cudaSuccess) *device = static_cast<DeviceIndex>(index);
  return result;
}

cudaError_t SetDevice(DeviceIndex device, bool) {
  return cudaSetDevice(device);
}
cudaError_t MaybeSetDevice(DeviceIndex device) {
  return cudaSetDevice(device);
}

DeviceIndex ExchangeDevice(DeviceIndex device) {
  const DeviceIndex before = current_device();
  if (device != before) set_device(device);
  return before;
}

DeviceIndex MaybeExchangeDevice(DeviceIndex device) {
  return ExchangeDevice(device);
}

namespace {

// As libtorch: a pool has 32 streams, and whoever asks for more shares them.
constexpr int streams_per_pool = 32;
constexpr int pools = max_compile_time_stream_priorities;
constexpr int max_devices = 16;

/// A stream's id is 0 for the default stream, 1 + its place for one of a pool, and the handle's
/// address for a stream that was made elsewhere: no address is as small as a place.
struct Pools {
  std::once_flag made[max_devices];
  cudaStream_t streams[max_devices][pools][streams_per_pool] = {};
  std::array<std::atomic<uint32_t>, pools> next[max_devices] = {};
};

Pools& stream_pools() {
  static auto* instance = new Pools();
  return *instance;
}

thread_local std::array<StreamId, max_devices> current_streams{};

CUDAStream stream_of(StreamId id, DeviceIndex device) {
  return CUDAStream(CUDAStream::UNCHECKED,
                    Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id));
}

DeviceIndex known_device(DeviceIndex device) {
  if (device == -1) return current_device();
  TORCH_CHECK(device >= 0 && device < device_count(), "Device index value ", int(device),
              " is out of index range [0, ", int(device_count()), ")");
  return device;
}

void make_streams(DeviceIndex device) {
  const DeviceIndex before = ExchangeDevice(device);
  for (int pool = 0; pool < pools; ++pool)
    for (cudaStream_t& stream : stream_pools().streams[device][pool])
      C10_CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -pool));
  ExchangeDevice(before);
}

}  // namespace

cudaStream_t CUDAStream::stream() const {
  const StreamId id = stream_.id();
  if (id == 0) return nullptr;
  if (id > pools * streams_per_pool) return reinterpret_cast<cudaStream_t>(id);
  const StreamId place = id - 1;
  return stream_pools().streams[device_index()][place / streams_per_pool][place % streams_per_pool];
}

bool CUDAStream::query() const {
  const DeviceGuard guard(device());
  const cudaError_t result = cudaStreamQuery(stream());
  if (result != cudaErrorNotReady) {
    C10_CUDA_CHECK(result);
    return true;
  }
  (void)cudaGetLastError();
  return false;
}

void CUDAStream::synchronize() const {
  const DeviceGuard guard(device());
  stream_synchronize(stream());
}

int CUDAStream::priority() const {
  const DeviceGuard guard(device());
  int priority = 0;
  C10_CUDA_CHECK(cudaStreamGetPriority(stream(), &priority));
  return priority;
}

std::tuple<int, int> CUDAStream::priority_range() {
  int least = 0, greatest = 0;
  C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  return {least, std::max(greatest, 1 - pools)};
}

CUDAStream getStreamFromPool(int priority, DeviceIndex device) {
  TORCH_CHECK(priority <= 0, "Expected cuda stream priority to be less than or equal to 0, got ",
              priority);
  device = known_device(device);
  std::call_once(stream_pools().made[device], make_streams, device);
  const int pool = std::min(-priority, pools - 1);
  const uint32_t place = stream_pools().next[device][pool]++ % streams_per_pool;
  return stream_of(1 + pool * streams_per_pool + place, device);
}

CUDAStream getStreamFromPool(bool isHighPriority, DeviceIndex device) {
  return getStreamFromPool(isHighPriority ? 1 - pools : 0, device);
}

CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
  return stream_of(reinterpret_cast<StreamId>(stream), device);
}

CUDAStream getDefaultCUDAStream(DeviceIndex device) {
  return stream_of(0, known_device(device));
}

CUDAStream getCurrentCUDAStream(DeviceIndex device) {
  device = known_device(device);
  return stream_of(current_streams[device], device);
}

void setCurrentCUDAStream(CUDAStream stream) {
  current_streams[stream.device_index()] = stream.id();
}

std::ostream& operator<<(std::ostream& out, const CUDAStream& stream) {
  return out << stream.unwrap();
}

}  // namespace c10::cuda

namespace at::cuda {

cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  static std::array<cudaDeviceProp, c10::cuda::max_devices> properties;
  static std::array<std::once_flag, c10::cuda::max_devices> asked;
  device = c10::cuda::known_device(device);
  std::call_once(asked[device], [device] {
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties[device], device));
  });
  return &properties[device];
}

cudaDeviceProp* getCurrentDeviceProperties() {
  return getDeviceProperties(c10::cuda::current_device());
}

int warp_size() {
  return getCurrentDeviceProperties()->warpSize;
}

bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer) {
  return c10::cuda::known_device(device) != c10::cuda::known_device(peer);
}

c10::Allocator* getCUDADeviceAllocator() {
  return c10::GetAllocator(c10::DeviceType::CUDA);
}

}  // namespace at::cuda
