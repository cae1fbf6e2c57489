#include "runtime/gradcheck/kept_memory.h"

#include <c10/core/alignment.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace opsmith {
namespace {

// glibc keeps smaller blocks itself; larger ones are few.
constexpr size_t smallest = size_t{1} << 16, largest = size_t{1} << 24;
constexpr size_t most_kept = size_t{1} << 28;

struct Keeper {
  std::mutex mutex;
  bool keeps = false;
  size_t kept_bytes = 0;
  std::unordered_map<size_t, std::vector<void*>> kept;  // by bytes
};

// Leaked: tensors may be freed while the process ends.
Keeper& keeper() {
  static auto* instance = new Keeper();
  return *instance;
}

// In front of each block stands its size.
size_t& size_of(void* data) {
  return *reinterpret_cast<size_t*>(static_cast<char*>(data) - c10::gAlignment);
}
void free_block(void* data) {
  std::free(static_cast<char*>(data) - c10::gAlignment);
}

void keep_or_free(void* data) {
  if (data == nullptr) return;
  const size_t bytes = size_of(data);
  if (bytes >= smallest && bytes <= largest) {
    const std::lock_guard lock(keeper().mutex);
    if (keeper().keeps && keeper().kept_bytes + bytes <= most_kept) {
      keeper().kept[bytes].push_back(data);
      keeper().kept_bytes += bytes;
      return;
    }
  }
  free_block(data);
}

void* kept_block(size_t bytes) {
  if (bytes < smallest || bytes > largest) return nullptr;
  const std::lock_guard lock(keeper().mutex);
  const auto found = keeper().kept.find(bytes);
  if (found == keeper().kept.end() || found->second.empty()) return nullptr;
  void* data = found->second.back();
  found->second.pop_back();
  keeper().kept_bytes -= bytes;
  return data;
}

class KeepingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const auto device = c10::Device(c10::kCPU);
    if (bytes == 0) return {nullptr, nullptr, &keep_or_free, device};
    void* data = kept_block(bytes);
    if (data == nullptr) {
      void* memory = nullptr;
      if (posix_memalign(&memory, c10::gAlignment, c10::gAlignment + bytes) != 0)
        throw std::bad_alloc();
      data = static_cast<char*>(memory) + c10::gAlignment;
      size_of(data) = bytes;
    }
    return {data, data, &keep_or_free, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &keep_or_free; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

KeepingAllocator& keeping_allocator() {
  static auto* instance = new KeepingAllocator();
  return *instance;
}

}  // namespace

KeptMemory::KeptMemory() : before_(c10::GetAllocator(c10::kCPU)) {
  {
    const std::lock_guard lock(keeper().mutex);
    keeper().keeps = true;
  }
  c10::SetAllocator(c10::kCPU, &keeping_allocator(), /*priority=*/255);
}

KeptMemory::~KeptMemory() {
  c10::SetAllocator(c10::kCPU, before_, /*priority=*/255);
  const std::lock_guard lock(keeper().mutex);
  keeper().keeps = false;
  keeper().kept_bytes = 0;
  for (const auto& [bytes, blocks] : keeper().kept) {
    for (void* block : blocks)
      free_block(block);
  }
  keeper().kept.clear();
}

}  // namespace opsmith
