#include "memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "device.h"

namespace test_device {
namespace {

constexpr size_t whole = size_t{64} << 30;
constexpr size_t block = 4096;

/// Two mappings of one file without a name; it takes only the memory that was written to.
struct Mappings {
  char* forbidden = nullptr;
  char* allowed = nullptr;
  int file = memfd_create("test-device", MFD_CLOEXEC);

  Mappings() {
    TORCH_CHECK(file >= 0 && ftruncate(file, whole) == 0, "no memory for the test device");
    forbidden = map(PROT_NONE);
    allowed = map(PROT_READ | PROT_WRITE);
  }
  char* map(int access) const {
    void* at = mmap(nullptr, whole, access, MAP_SHARED | MAP_NORESERVE, file, 0);
    TORCH_CHECK(at != MAP_FAILED, "no addresses for the test device");
    return static_cast<char*>(at);
  }
};

const Mappings& mappings() {
  static const auto* made = new Mappings();
  return *made;
}

/// Freed blocks stay here for tensors of their size, as those of libtorch's allocator for CUDA do.
class Memory final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    check_device();
    const size_t size = (std::max<size_t>(bytes, 1) + block - 1) / block * block;
    const std::lock_guard lock(mutex_);
    TORCH_CHECK_WITH(OutOfMemoryError, size <= free_bytes(), "test device: out of memory: tried to allocate ",
                     size, " bytes, ", free_bytes(), " are free");
    ++made_;
    used_ += size;
    auto& kept = kept_[size];
    void* at = nullptr;
    if (!kept.empty()) {
      at = kept.back();
      kept.pop_back();
      kept_bytes_ -= std::min(kept_bytes_, size);
    } else {
      TORCH_CHECK(next_ + size <= whole, "test device: out of addresses");
      at = mappings().forbidden + next_;
      next_ += size;
    }
    sizes_[at] = size;
    return {at, at, &free_block, c10::Device(c10::DeviceType::PrivateUse1, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    wait_for_all();
    std::memcpy(seen_by_device(to), seen_by_device(from), bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {
    const std::lock_guard lock(mutex_);
    for (auto& [size, blocks] : kept_) {
      for (void* at : blocks)
        madvise(seen_by_device(at), size, MADV_REMOVE);
    }
    kept_bytes_ = 0;
  }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override {
    const std::lock_guard lock(mutex_);
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.allocation[0].allocated = made_;
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
    const std::lock_guard lock(mutex_);
    return {free_bytes(), limit_};
  }
  void limit(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes == 0 ? whole : static_cast<size_t>(bytes);
  }

 /// As libtorch's allocator for CUDA, it takes from the device what it keeps.
  size_t kept() {
    const std::lock_guard lock(mutex_);
    return kept_bytes_;
  }

 private:
  static void free_block(void* at);
  size_t free_bytes() const { return limit_ > used_ ? limit_ - used_ : 0; }

  std::mutex mutex_;
  std::map<void*, size_t> sizes_;
  std::map<size_t, std::vector<void*>> kept_;
  size_t next_ = 0, used_ = 0, kept_bytes_ = 0, limit_ = whole;
  int64_t made_ = 0;
};

Memory& memory() {
  static auto* made = new Memory();
  return *made;
}

void Memory::free_block(void* at) {
  auto& own = memory();
  const std::lock_guard lock(own.mutex_);
  const auto found = own.sizes_.find(at);
  if (found == own.sizes_.end()) return;
  own.used_ -= found->second;
  own.kept_[found->second].push_back(at);
  own.kept_bytes_ += found->second;
  own.sizes_.erase(found);
}

const bool registered = [] {
  c10::SetAllocator(c10::DeviceType::PrivateUse1, &memory());
  return true;
}();

}  // namespace

c10::Allocator* device_memory() {
  return &memory();
}

void* seen_by_device(const void* address) {
  const auto& [forbidden, allowed, file] = mappings();
  return allowed + (static_cast<const char*>(address) - forbidden);
}

void limit_memory(int64_t bytes) {
  memory().limit(bytes);
}

int64_t kept_memory() {
  return static_cast<int64_t>(memory().kept());
}

}  // namespace test_device
