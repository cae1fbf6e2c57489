// Counts of a counted build: how warps access memory, and what that costs a GPU. A counted launch
// runs on one OS thread, so what is kept needs no locks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.h"

namespace opsmith::gpu {

/** True if the program was compiled for counts, and is asked for them. */
extern bool counting;

namespace counted {

enum class Kind : std::uint8_t { load, store, atomic };

void access(const void* address, std::size_t size, Kind kind, const void* instruction);
void launch_started(const Launch& launch);
void launch_ended(const Launch& launch);
void block_ended(const Block& block);
/** Those that a barrier waits for have come, and go on. 0 is the block's, others are named. */
void barrier_passed(const Block& block, std::uint32_t barrier);
/** A thread comes to a barrier. */
void barrier(const Fiber& fiber, std::uint32_t barrier, Site site);
/** All live lanes of a warp have come together, or all have ended. */
void warp_converged(const Block& block, std::uint32_t warp);

}  // namespace counted

}  // namespace opsmith::gpu
