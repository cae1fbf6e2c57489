#include "runtime/operator_check/checking_allocator.h"

#include <c10/core/alignment.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

namespace opsmith {
namespace {

constexpr size_t zone = 4096;  // on either side; a multiple of every alignment asked for
constexpr uint8_t zone_byte = 0xC5;

struct Block {
  size_t bytes = 0;
  char* start = nullptr;  // of the front zone
};

struct Blocks {
  std::mutex mutex;
  std::unordered_map<const void*, Block> live;
  std::vector<ZoneDamage> freed_damages;
  size_t live_bytes = 0;
};

// Leaked: tensors may be freed while the process ends.
Blocks& blocks() {
  static auto* instance = new Blocks();
  return *instance;
}
std::atomic<uint8_t> fill_byte{0};

void inspect(const void* data, const Block& block, std::vector<ZoneDamage>& into) {
  const auto* front = reinterpret_cast<const uint8_t*>(block.start);
  const auto* back = front + zone + block.bytes;
  ZoneDamage before{data, block.bytes, 0, 0}, after{data, block.bytes, 0, 0};
  for (size_t i = 0; i < zone; ++i) {
    if (front[i] != zone_byte) {
      before.distance = static_cast<int64_t>(i) - static_cast<int64_t>(zone);
      ++before.count;
    }
    if (back[i] != zone_byte && after.count++ == 0) after.distance = static_cast<int64_t>(i);
  }
  if (before.count > 0) into.push_back(before);
  if (after.count > 0) into.push_back(after);
}

void check_and_free(void* data) {
  if (data == nullptr) return;
  char* start = nullptr;
  {
    const std::lock_guard lock(blocks().mutex);
    const auto found = blocks().live.find(data);
    if (found == blocks().live.end()) return;
    inspect(data, found->second, blocks().freed_damages);
    start = found->second.start;
    blocks().live_bytes -= found->second.bytes;
    blocks().live.erase(found);
  }
  std::free(start);
}

class CheckingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const auto device = c10::Device(c10::kCPU);
    if (bytes == 0) return {nullptr, nullptr, &check_and_free, device};
    void* memory = nullptr;
    if (posix_memalign(&memory, c10::gAlignment, bytes + 2 * zone) != 0) throw std::bad_alloc();
    auto* start = static_cast<char*>(memory);
    char* data = start + zone;
    std::memset(start, zone_byte, zone);
    std::memset(data, fill_byte.load(), bytes);
    std::memset(data + bytes, zone_byte, zone);
    const std::lock_guard lock(blocks().mutex);
    blocks().live[data] = {bytes, start};
    blocks().live_bytes += bytes;
    return {data, data, &check_and_free, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &check_and_free; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

CheckingAllocator& checking_allocator() {
  static auto* instance = new CheckingAllocator();
  return *instance;
}

}  // namespace

CheckingAllocation::CheckingAllocation(uint8_t fill) : before_(c10::GetAllocator(c10::kCPU)) {
  fill_byte = fill;
  {
    const std::lock_guard lock(blocks().mutex);
    blocks().freed_damages.clear();
  }
  c10::SetAllocator(c10::kCPU, &checking_allocator(), /*priority=*/255);
}

CheckingAllocation::~CheckingAllocation() {
  c10::SetAllocator(c10::kCPU, before_, /*priority=*/255);
}

std::vector<ZoneDamage> CheckingAllocation::damages() const {
  const std::lock_guard lock(blocks().mutex);
  auto found = blocks().freed_damages;
  for (const auto& [data, block] : blocks().live)
    inspect(data, block, found);
  return found;
}

size_t CheckingAllocation::live_bytes() {
  const std::lock_guard lock(blocks().mutex);
  return blocks().live_bytes;
}

}  // namespace opsmith
