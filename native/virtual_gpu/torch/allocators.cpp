#include "allocators.h"

#include <c10/core/impl/alloc_cpu.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "device_memory.h"

namespace opsmith::gpu {
namespace {

using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

thread_local c10::DeviceIndex device_of_results = -1;

/// What is allocated on each device, as torch.cuda.memory_stats counts it.
class Counts {
 public:
  void allocated(const void* data, size_t bytes, c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    live_[data] = bytes;
    DeviceStats& stats = stats_of(device);
    for (auto* sum : {&stats.allocated_bytes, &stats.active_bytes, &stats.reserved_bytes,
                      &stats.requested_bytes})
      (*sum)[all].increase(bytes);
    for (auto* count : {&stats.allocation, &stats.active, &stats.segment})
      (*count)[all].increase(1);
    ++stats.num_device_alloc;
  }

  void freed(const void* data, c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(data);
    if (found == live_.end()) return;
    DeviceStats& stats = stats_of(device);
    for (auto* sum : {&stats.allocated_bytes, &stats.active_bytes, &stats.reserved_bytes,
                      &stats.requested_bytes})
      (*sum)[all].decrease(found->second);
    for (auto* count : {&stats.allocation, &stats.active, &stats.segment})
      (*count)[all].decrease(1);
    ++stats.num_device_free;
    live_.erase(found);
  }

  DeviceStats of(c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    return stats_of(device);
  }

  void reset(c10::DeviceIndex device, void (c10::CachingAllocator::Stat::*reset)()) {
    const std::lock_guard lock(mutex_);
    DeviceStats& stats = stats_of(device);
    for (auto* one : {&stats.allocated_bytes, &stats.active_bytes, &stats.reserved_bytes,
                      &stats.requested_bytes, &stats.allocation, &stats.active, &stats.segment})
      ((*one)[all].*reset)();
  }

 private:
  static constexpr auto all = static_cast<size_t>(StatType::AGGREGATE);

  DeviceStats& stats_of(c10::DeviceIndex device) {
    TORCH_CHECK(device >= 0 && device < c10::cuda::device_count(), "Invalid device argument ",
                int(device));
    if (stats_.size() <= static_cast<size_t>(device)) stats_.resize(c10::cuda::device_count());
    return stats_[device];
  }

  std::mutex mutex_;
  std::unordered_map<const void*, size_t> live_;
  std::vector<DeviceStats> stats_;
};

// Leaked, as all that is used while tensors are freed at the end of the process.
Counts& counts() {
  static auto* instance = new Counts();
  return *instance;
}

void release_device_memory(void* data) {
  if (data == nullptr) return;
  counts().freed(data, static_cast<c10::DeviceIndex>(device_of(data)));
  release_from_torch(data);
}

void* allocate_device_memory(size_t bytes, c10::DeviceIndex device) {
  void* data = allocate_for_torch(bytes, device);
  TORCH_CHECK_WITH(OutOfMemoryError, data != nullptr, "CUDA out of memory. Tried to allocate ",
                   c10::CachingAllocator::format_size(bytes), " on GPU ", int(device),
                   ", which is a virtual GPU: it uses the memory of this machine.");
  counts().allocated(data, bytes, device);
  return data;
}

class DeviceAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const c10::DeviceIndex index = c10::cuda::current_device();
    const c10::Device device(c10::DeviceType::CUDA, index);
    if (bytes == 0) return {nullptr, nullptr, &release_device_memory, device};
    void* data = allocate_device_memory(bytes, index);
    return {data, data, &release_device_memory, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release_device_memory; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  // A kernel is done when its launch returns.
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  DeviceStats getDeviceStats(c10::DeviceIndex device) override { return counts().of(device); }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    counts().reset(device, &c10::CachingAllocator::Stat::reset_accumulated);
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    counts().reset(device, &c10::CachingAllocator::Stat::reset_peak);
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    const c10::DeviceGuard guard(c10::Device(c10::DeviceType::CUDA, device));
    size_t free = 0, total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return {free, total};
  }
};

struct PinnedBlocks {
  std::shared_mutex mutex;
  std::map<const char*, size_t> live;
};

PinnedBlocks& pinned_blocks() {
  static auto* instance = new PinnedBlocks();
  return *instance;
}

void release_pinned(void* data) {
  if (data == nullptr) return;
  {
    const std::unique_lock lock(pinned_blocks().mutex);
    pinned_blocks().live.erase(static_cast<const char*>(data));
  }
  c10::free_cpu(data);
}

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(c10::kCPU);
    if (bytes == 0) return {nullptr, nullptr, &release_pinned, device};
    void* data = c10::alloc_cpu(bytes);
    const std::unique_lock lock(pinned_blocks().mutex);
    pinned_blocks().live[static_cast<const char*>(data)] = bytes;
    return {data, data, &release_pinned, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release_pinned; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

/// libtorch's allocator for the CPU before us.
c10::Allocator* cpu_allocator = nullptr;

// Memory that was allocated raw may come from either allocator.
void release_either(void* data) {
  if (data == nullptr) return;
  if (device_of(data) >= 0)
    release_device_memory(data);
  else
    cpu_allocator->raw_deleter()(data);
}

class DivertedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    if (device_of_results < 0) return cpu_allocator->allocate(bytes);
    const c10::Device device(c10::kCPU);
    if (bytes == 0) return {nullptr, nullptr, &release_device_memory, device};
    void* data = allocate_device_memory(bytes, device_of_results);
    return {data, data, &release_device_memory, device};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return cpu_allocator->raw_deleter() == nullptr ? nullptr : &release_either;
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    cpu_allocator->copy_data(to, from, bytes);
  }
};

}  // namespace

c10::DeviceAllocator& device_allocator() {
  static auto* instance = new DeviceAllocator();
  return *instance;
}

c10::Allocator& pinned_allocator() {
  static auto* instance = new PinnedAllocator();
  return *instance;
}

bool is_pinned(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  const std::shared_lock lock(pinned_blocks().mutex);
  auto after = pinned_blocks().live.upper_bound(byte);
  if (after == pinned_blocks().live.begin()) return false;
  --after;
  return byte < after->first + after->second;
}

void divert_cpu_allocator() {
  cpu_allocator = c10::GetAllocator(c10::kCPU);
  static auto* instance = new DivertedAllocator();
  c10::SetAllocator(c10::kCPU, instance, /*priority=*/255);
}

ResultsOnDevice::ResultsOnDevice(c10::DeviceIndex device) : before_(device_of_results) {
  device_of_results = device;
}

ResultsOnDevice::~ResultsOnDevice() {
  device_of_results = before_;
}

}  // namespace opsmith::gpu

namespace c10::cuda::CUDACachingAllocator {

c10::DeviceAllocator* get() {
  return &opsmith::gpu::device_allocator();
}

void* raw_alloc(size_t bytes) {
  return get()->raw_allocate(bytes);
}
void* raw_alloc_with_stream(size_t bytes, cudaStream_t) {
  return get()->raw_allocate(bytes);
}
void raw_delete(void* data) {
  get()->raw_deallocate(data);
}

}  // namespace c10::cuda::CUDACachingAllocator
