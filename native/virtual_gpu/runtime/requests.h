// What one memory request of a warp costs a GPU. The rules are those of NVIDIA's documents: global
// memory moves in sectors of 32 bytes, shared memory has 32 banks of 4 bytes.
#pragma once

#include <cstdint>

#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

constexpr std::uint64_t sector_bytes = 32;
constexpr std::uint64_t bank_bytes = 4;
constexpr std::uint32_t banks = 32;
/** The widest access of one lane. */
constexpr std::uint32_t widest_access = 16;

/** The lanes of a warp that execute one instruction, with the address of each. */
struct Request {
  std::uint32_t lanes = 0;  // a bit each
  std::uint64_t address[lanes_of_warp];
  /** Bytes that a lane accesses, and with what later instructions access right behind it. */
  std::uint8_t bytes[lanes_of_warp] = {};
  std::uint8_t wide[lanes_of_warp] = {};
};

/** Sums over requests. */
struct RequestSums {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;       // that were active
  std::uint64_t bytes = 0;       // of all active lanes
  std::uint64_t sectors = 0;     // global memory
  std::uint64_t wavefronts = 0;  // shared memory: passes over the banks
  std::uint64_t least = 0;       // and as many as there were without conflicts
  std::uint64_t addresses = 0;   // atomics: different ones
  std::uint64_t serial = 0;      // and the most lanes at one of them

  void add(const RequestSums& other);
};

/** Memory that requests are counted of. */
enum class Space : std::uint8_t { none, global, shared };

/** Adds a request; `wide`: with what follows right behind the lanes' own bytes. */
void add_request(RequestSums& sums, const Request& request, Space space, bool is_atomic, bool wide);
/** True if the lanes' bytes with what follows are one access of 2, 4, 8 or 16 bytes. */
bool is_vector(const Request& request);

}  // namespace opsmith::gpu
