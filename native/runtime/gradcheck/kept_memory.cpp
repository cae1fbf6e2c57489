#include "runtime/gradcheck/kept_memory.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace opsmith {
namespace {

constexpr size_t alignment = 64;  // libtorch's own on the CPU
// glibc keeps smaller blocks itself; larger ones are few.
constexpr size_t smallest = size_t{1} << 16, largest = size_t{1} << 24;
constexpr size_t most_kept = size_t{1} << 28;

struct State {
  std::mutex mutex;
  bool keeps = false;
  size_t kept_bytes = 0;
  std::unordered_map<size_t, std::vector<void*>> kept;  // by bytes
};

// Leaked: tensors may be freed while the process ends.
State& state() {
  static auto* instance = new State();
  return *instance;
}

// In front of each block stands its size.
size_t& size_of(void* data) {
  return *reinterpret_cast<size_t*>(static_cast<char*>(data) - alignment);
}
void give_back(void* data) {
  std::free(static_cast<char*>(data) - alignment);
}

void release(void* data) {
  if (data == nullptr) return;
  const size_t bytes = size_of(data);
  if (bytes >= smallest && bytes <= largest) {
    const std::lock_guard lock(state().mutex);
    if (state().keeps && state().kept_bytes + bytes <= most_kept) {
      state().kept[bytes].push_back(data);
      state().kept_bytes += bytes;
      return;
    }
  }
  give_back(data);
}

void* kept_block(size_t bytes) {
  if (bytes < smallest || bytes > largest) return nullptr;
  const std::lock_guard lock(state().mutex);
  const auto found = state().kept.find(bytes);
  if (found == state().kept.end() || found->second.empty()) return nullptr;
  void* data = found->second.back();
  found->second.pop_back();
  state().kept_bytes -= bytes;
  return data;
}

class Allocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const auto device = c10::Device(c10::kCPU);
    if (bytes == 0) return {nullptr, nullptr, &release, device};
    void* data = kept_block(bytes);
    if (data == nullptr) {
      void* memory = nullptr;
      if (posix_memalign(&memory, alignment, alignment + bytes) != 0) throw std::bad_alloc();
      data = static_cast<char*>(memory) + alignment;
      size_of(data) = bytes;
    }
    return {data, data, &release, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

Allocator& keeping_allocator() {
  static auto* instance = new Allocator();
  return *instance;
}

}  // namespace

KeptMemory::KeptMemory() : before_(c10::GetAllocator(c10::kCPU)) {
  {
    const std::lock_guard lock(state().mutex);
    state().keeps = true;
  }
  c10::SetAllocator(c10::kCPU, &keeping_allocator(), /*priority=*/255);
}

KeptMemory::~KeptMemory() {
  c10::SetAllocator(c10::kCPU, before_, /*priority=*/255);
  const std::lock_guard lock(state().mutex);
  state().keeps = false;
  state().kept_bytes = 0;
  for (const auto& [bytes, blocks] : state().kept) {
    for (void* block : blocks)
      give_back(block);
  }
  state().kept.clear();
}

}  // namespace opsmith
