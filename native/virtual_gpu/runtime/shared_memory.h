// The shared memory of blocks.
#pragma once

#include <cstddef>

#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

/** Dynamic shared memory begins at 0; __shared__ variables follow from here. */
constexpr std::size_t static_shared_begin = 256 * 1024;

/** Maps the shared memory of a block; null if there is no memory left. */
std::byte* map_shared();
void unmap_shared(std::byte* memory);

/** True if `address` lies in shared memory that begins at `shared`. */
inline bool in_shared(const void* address, const std::byte* shared) {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= shared && byte < shared + shared_bytes;
}

}  // namespace opsmith::gpu
