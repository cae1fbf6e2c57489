// malloc, free, new and delete: what a kernel allocates is memory of the device. A checked program
// is linked so that its calls of malloc and free come here (--wrap); new and delete are replaced.
#include "device_heap.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

#include "checks.h"

// From the linker: where this library begins, and where its code ends.
extern "C" __attribute__((visibility("hidden"))) const std::byte __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const std::byte etext;

namespace opsmith::gpu {

namespace {

std::mutex guard;
// Never destroyed: a program may free memory until it has ended.
auto& blocks = *new std::map<const std::byte*, std::size_t>;
std::atomic<std::size_t> block_count = 0;

/** True for code of the runtime: what that allocates while a kernel runs is memory of the host. */
bool is_runtime(const void* caller) {
  return caller >= &__ehdr_start && caller < &etext;
}

/** Notes memory that a kernel allocated; nothing where no kernel runs. */
void note(void* address, std::size_t bytes, const void* caller) {
  if (!checking || current == nullptr || address == nullptr || is_runtime(caller)) return;
  const std::lock_guard lock(guard);
  blocks[static_cast<const std::byte*>(address)] = bytes;
  block_count = blocks.size();
}

/**
 * The memory is free, whoever freed it. libstdc++ allocates for the runtime while a kernel runs,
 * and the host frees that later: the host may get the same address again.
 */
void forget(void* address) {
  if (block_count == 0 || address == nullptr) return;
  // Freed after the lock: this node comes by here, too.
  std::map<const std::byte*, std::size_t>::node_type block;
  const std::lock_guard lock(guard);
  block = blocks.extract(static_cast<const std::byte*>(address));
  block_count = blocks.size();
}

/** @param caller in whose code the memory is allocated */
void* heap_allocate(std::size_t bytes, const void* caller) {
  void* address = std::malloc(bytes == 0 ? 1 : bytes);
  if (address == nullptr) throw std::bad_alloc();
  note(address, bytes, caller);
  return address;
}

void heap_free(void* address) {
  forget(address);
  std::free(address);
}

}  // namespace

bool in_device_heap(const void* address) {
  if (block_count == 0) return false;
  const auto* byte = static_cast<const std::byte*>(address);
  const std::lock_guard lock(guard);
  const auto next = blocks.upper_bound(byte);
  if (next == blocks.begin()) return false;
  const auto& [begin, bytes] = *std::prev(next);
  return byte < begin + bytes;
}

}  // namespace opsmith::gpu

// Not inlined: the return address must be the caller's, since it says whose memory this is.
#define OPSMITH_NOT_INLINED __attribute__((noinline))

using opsmith::gpu::heap_allocate;
using opsmith::gpu::heap_free;

extern "C" {

OPSMITH_NOT_INLINED void* __wrap_malloc(std::size_t bytes) {
  void* address = std::malloc(bytes);
  opsmith::gpu::note(address, bytes, __builtin_return_address(0));
  return address;
}

void __wrap_free(void* address) {
  heap_free(address);
}

}  // extern "C"

OPSMITH_NOT_INLINED void* operator new(std::size_t bytes) {
  return heap_allocate(bytes, __builtin_return_address(0));
}
OPSMITH_NOT_INLINED void* operator new[](std::size_t bytes) {
  return heap_allocate(bytes, __builtin_return_address(0));
}

void operator delete(void* address) noexcept {
  heap_free(address);
}
void operator delete(void* address, std::size_t) noexcept {
  heap_free(address);
}
void operator delete[](void* address) noexcept {
  heap_free(address);
}
void operator delete[](void* address, std::size_t) noexcept {
  heap_free(address);
}
