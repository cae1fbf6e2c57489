// The order in which blocks and warps begin: random, and the same for the same seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "block.h"

namespace opsmith::gpu {

/** SplitMix64 (Steele, Lea and Flood 2014): one step from a state. */
inline std::uint64_t mixed(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15ULL;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebULL;
  return state ^ (state >> 31);
}

/** A step that visits each of `count` places once. */
inline std::uint64_t random_stride(std::uint64_t count, std::uint64_t random) {
  if (count < 3) return 1;
  std::uint64_t stride = 1 + random % (count - 1);
  while (std::gcd(stride, count) != 1)
    stride = stride % (count - 1) + 1;
  return stride;
}

/** Neighbours that begin together: memory is read in order within them. */
constexpr std::uint64_t neighbours = 16;

/** In the order of their numbers if the seed is 0. */
inline void order_blocks(Launch& launch) {
  if (launch.seed == 0) {
    launch.groups = launch.blocks;
    return;
  }
  launch.group = launch.blocks >= 8 * neighbours ? neighbours : 1;
  launch.groups = launch.blocks / launch.group;
  launch.group_stride = random_stride(launch.groups, mixed(launch.seed));
  launch.group_begin = mixed(launch.seed + 1) % launch.groups;
}

/** The number of the block that begins as number `turn`. */
inline std::uint64_t block_of_turn(const Launch& launch, std::uint64_t turn) {
  const std::uint64_t ordered = launch.groups * launch.group;
  if (turn >= ordered) return turn;  // what is left after the last whole group
  const std::uint64_t place = turn / launch.group;
  const std::uint64_t group = static_cast<std::uint64_t>(
      (launch.group_begin + static_cast<unsigned __int128>(place) * launch.group_stride) %
      launch.groups);
  return group * launch.group + (turn % launch.group ^ (mixed(launch.seed + group) % launch.group));
}

inline void order_warps(Block& block, std::uint64_t seed) {
  if (seed == 0) {
    block.warp_begin = 0;
    block.warp_stride = 1;
    return;
  }
  const std::uint64_t random = mixed(seed ^ mixed(block.number));
  block.warp_begin = static_cast<std::uint32_t>(random % block.warps);
  block.warp_stride = static_cast<std::uint32_t>(random_stride(block.warps, mixed(random)));
}

}  // namespace opsmith::gpu
