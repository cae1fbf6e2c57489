#include "memory.h"

#include <sys/mman.h>

#include <map>
#include <mutex>

#include "checks.h"

namespace opsmith::gpu {

namespace {

constexpr std::size_t alignment = 256;
/** At least as much between two allocations: what runs over one does not reach the next. */
constexpr std::size_t gap = 256;
constexpr std::size_t page = 4096;

struct Arena {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
  std::byte* next = nullptr;
};

std::mutex guard;
Arena arena;
/** All allocations that live, and in a checked run those that were freed. */
std::map<std::byte*, Allocation> allocations;
/** Room between allocations, by its size. */
std::multimap<std::size_t, std::byte*> holes;
std::size_t used[device_count] = {};

std::size_t rounded(std::size_t bytes) {
  return (bytes + gap + alignment - 1) / alignment * alignment;
}

bool reserve_arena() {
  if (arena.begin != nullptr) return true;
  for (std::size_t bytes = device_count * device_bytes; bytes >= std::size_t{1} << 28; bytes /= 2) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    arena.begin = arena.next = static_cast<std::byte*>(memory);
    arena.end = arena.begin + bytes;
    return true;
  }
  return false;
}

std::byte* take_room(std::size_t bytes) {
  const auto hole = holes.lower_bound(bytes);
  if (hole != holes.end()) {
    std::byte* begin = hole->second;
    const std::size_t left = hole->first - bytes;
    holes.erase(hole);
    if (left > 0) holes.emplace(left, begin + bytes);
    return begin;
  }
  if (static_cast<std::size_t>(arena.end - arena.next) < bytes) return nullptr;
  std::byte* begin = arena.next;
  arena.next += bytes;
  return begin;
}

/** The allocation that begins last at or before `address`. */
std::map<std::byte*, Allocation>::iterator before(const void* address) {
  auto next = allocations.upper_bound(static_cast<std::byte*>(const_cast<void*>(address)));
  return next == allocations.begin() ? allocations.end() : std::prev(next);
}

}  // namespace

void* allocate(std::size_t bytes, int device, MemoryKind kind, Site site) {
  const std::lock_guard lock(guard);
  if (!reserve_arena() || bytes > device_bytes - used[device]) return nullptr;
  std::byte* begin = take_room(rounded(bytes));
  if (begin == nullptr) return nullptr;
  used[device] += bytes;
  const Allocation made{begin, bytes, device, kind, false, site, {}};
  allocations[begin] = made;
  if (checking) checked::allocated(made);
  return begin;
}

Release release(void* address, Site site) {
  const std::lock_guard lock(guard);
  const auto found = allocations.find(static_cast<std::byte*>(address));
  if (found == allocations.end()) {
    const auto around = before(address);
    const bool inside = around != allocations.end() && !around->second.freed &&
                        address < around->second.begin + around->second.bytes;
    return inside ? Release::inner_pointer : Release::never_allocated;
  }
  Allocation& allocation = found->second;
  if (allocation.freed) return Release::freed_before;
  used[allocation.device] -= allocation.bytes;
  allocation.freed = true;
  allocation.released = site;
  if (checking) {
    // Kept: an access to it can be told from one to memory that was given to another.
    checked::freed(allocation);
    return Release::released;
  }
  const std::size_t bytes = rounded(allocation.bytes);
  if (bytes >= 64 * page) madvise(allocation.begin, bytes / page * page, MADV_DONTNEED);
  holes.emplace(bytes, allocation.begin);
  allocations.erase(found);
  return Release::released;
}

bool register_host(void* address, std::size_t bytes, Site site) {
  const std::lock_guard lock(guard);
  auto* begin = static_cast<std::byte*>(address);
  return allocations
      .emplace(begin, Allocation{begin, bytes, 0, MemoryKind::registered, false, site, {}})
      .second;
}

bool unregister_host(void* address) {
  const std::lock_guard lock(guard);
  const auto found = allocations.find(static_cast<std::byte*>(address));
  if (found == allocations.end() || found->second.kind != MemoryKind::registered) return false;
  allocations.erase(found);
  return true;
}

bool find_allocation(const void* address, Allocation* found) {
  const std::lock_guard lock(guard);
  const auto around = before(address);
  if (around == allocations.end()) return false;
  const Allocation& allocation = around->second;
  const auto* byte = static_cast<const std::byte*>(address);
  if (byte >= allocation.begin + (allocation.bytes == 0 ? 1 : allocation.bytes)) return false;
  *found = allocation;
  return true;
}

bool in_arena(const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= arena.begin && byte < arena.end;
}

std::size_t bytes_in_use(int device) {
  const std::lock_guard lock(guard);
  return used[device];
}

void for_each_allocation(const std::function<void(const Allocation&)>& visit) {
  const std::lock_guard lock(guard);
  for (const auto& [begin, allocation] : allocations) visit(allocation);
}

void release_all() {
  const std::lock_guard lock(guard);
  for (auto it = allocations.begin(); it != allocations.end();) {
    if (it->second.kind != MemoryKind::registered && !it->second.freed)
      holes.emplace(rounded(it->second.bytes), it->second.begin);
    it = allocations.erase(it);
  }
  for (std::size_t& bytes : used) bytes = 0;
}

}  // namespace opsmith::gpu
