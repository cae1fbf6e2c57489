// Where the runtime tells the checks what happens. Without a checked build these cost one branch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.h"
#include "memory.h"

namespace opsmith::gpu {

/** True if the program was compiled for checks. */
extern bool checking;

namespace checked {
void block_started(const Launch& launch, const Block& block);
void block_ended(const Launch& launch, const Block& block);
void barrier(const Fiber& fiber, const Block& block, Site site);
void grid_barrier(const Launch& launch);
void warp_operation(const Fiber& fiber, std::uint32_t mask, Site site);
void shared_placed(std::size_t begin, std::size_t bytes, Site site);
}  // namespace checked

inline void check_block_started(const Launch& launch, const Block& block) {
  if (checking) checked::block_started(launch, block);
}
inline void check_block_ended(const Launch& launch, const Block& block) {
  if (checking) checked::block_ended(launch, block);
}
inline void check_barrier(const Fiber& fiber, const Block& block, Site site) {
  if (checking) checked::barrier(fiber, block, site);
}
inline void check_grid_barrier(const Launch& launch) {
  if (checking) checked::grid_barrier(launch);
}
inline void check_warp_operation(const Fiber& fiber, std::uint32_t mask, Site site) {
  if (checking) checked::warp_operation(fiber, mask, site);
}
inline void place_checked_shared(std::size_t begin, std::size_t bytes, Site site) {
  // Also before a checked build says so: the first launch may come later.
  checked::shared_placed(begin, bytes, site);
}

}  // namespace opsmith::gpu
