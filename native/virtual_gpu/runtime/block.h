// A block that is running, and a launch.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "fiber.h"
#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

/**
 * Lanes of a warp that wait for each other under one mask. Values are kept twice: a lane can come
 * to the next operation before the others have read this one's, never to the one after it.
 */
struct LaneGroup {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;
  std::uint32_t votes = 0;
  std::uint32_t unread = 0;  // lanes that were set free and have not read their result
  std::uint32_t parity = 0;
  std::uint32_t present[2] = {};
  std::uint32_t result_votes[2] = {};
  std::uint64_t values[2][lanes_of_warp];
  FiberList waiters;
};

struct BarrierState {
  std::uint32_t arrived = 0;
  std::uint32_t needed = 0;  // named barriers: how many threads they wait for
  std::uint32_t count = 0;   // of threads whose predicate holds
  std::uint32_t result_count = 0;
  std::uint32_t result_arrived = 0;
  FiberList waiters;
};

constexpr std::uint32_t named_barriers = 16;
constexpr std::uint32_t warps_of_block = 32;

struct Block {
  bool others = false;  // see ThreadContext::others
  std::uint64_t number = 0;
  uint3 index{};
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t live = 0;  // threads that have not returned, as far as they are counted
  std::uint32_t warps_started = 0;
  std::uint32_t next_lane = 0;  // of the warp that is being started
  std::uint32_t warp_begin = 0;
  std::uint32_t warp_stride = 1;  // warps start in the order begin, begin + stride, …
  std::uint32_t barriers_passed = 0;
  std::byte* shared = nullptr;
  Block* next = nullptr;
  BarrierState barrier;
  std::array<BarrierState, named_barriers> named;
  std::array<Warp, warps_of_block> warp;
  std::array<std::uint32_t, warps_of_block> warp_epoch;  // warp operations that have ended
  /** The group of all lanes, and those of other masks. */
  std::array<LaneGroup, warps_of_block> whole;
  std::array<std::vector<std::unique_ptr<LaneGroup>>, warps_of_block> parts;
  /** Fibers that ask which lanes have come, by warp. */
  std::array<FiberList, warps_of_block> converging;
  std::uint32_t converging_warps = 0;  // a bit each
};

/** A launch that is running. Workers share it. */
struct Launch {
  LaunchSize size;
  const Kernel* kernel = nullptr;
  std::uint64_t number = 0;
  std::uint64_t blocks = 0;
  std::uint32_t threads = 0;  // of a block
  std::uint64_t seed = 0;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> failed{false};
  // Blocks run in a random order of groups of neighbours, so that memory is still read in order.
  std::uint64_t group = 1;
  std::uint64_t groups = 1;
  std::uint64_t group_stride = 1;
  std::uint64_t group_begin = 0;
};

}  // namespace opsmith::gpu
