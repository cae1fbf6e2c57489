// Memory of the virtual devices: host memory that the runtime knows by its address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

enum class MemoryKind : std::uint8_t { device, managed, pinned, registered };

struct Allocation {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  MemoryKind kind = MemoryKind::device;
  bool freed = false;
  Site made;
  Site released;
};

constexpr int device_count = 2;
/** What each device says it has, in bytes. */
constexpr std::size_t device_bytes = std::size_t{8} << 30;

/** Null if the device has no room. */
void* allocate(std::size_t bytes, int device, MemoryKind kind, Site site);
enum class Release { released, never_allocated, freed_before, inner_pointer };
Release release(void* address, Site site);
/** Notes memory of the program's own as pinned. */
bool register_host(void* address, std::size_t bytes, Site site);
bool unregister_host(void* address);

/** Copies what is known about the allocation that holds `address`; false if none does. */
bool find_allocation(const void* address, Allocation* found);
/** True if `address` lies where device and managed memory are. */
bool in_arena(const void* address);
std::size_t bytes_in_use(int device);
void for_each_allocation(const std::function<void(const Allocation&)>& visit);
void release_all();

}  // namespace opsmith::gpu
