// What the checks know about memory: who accessed each byte last, and whether it was ever written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opsmith::gpu {

/** One access, as far as another must be compared with it. */
struct AccessRecord {
  std::uint32_t operation = 0;      // of a stream: StreamOrder
  std::uint32_t block = 0;          // 0: the host
  std::uint32_t barrier_epoch = 0;  // barriers that the block had passed
  std::uint32_t warp_epoch = 0;     // warp operations of the warp that had ended
  std::uint32_t time = 0;           // fences and atomics of the launch before it
  std::uint32_t instruction = 0;    // offset in the program
  std::uint32_t phase : 16 = 0;     // grid barriers of the launch before it
  std::uint32_t thread : 10 = 0;    // within the block
  std::uint32_t bytes : 4 = 0;      // of the cell, a bit each; 0: no access
  std::uint32_t is_atomic : 1 = 0;
  std::uint32_t is_update : 1 = 0;  // it read and wrote, `x += v`
};

/** Four bytes of memory. */
struct ShadowCell {
  AccessRecord write;
  AccessRecord read;
  AccessRecord other_read;   // of another thread than `read`
  std::uint32_t owner = 0;   // of shared memory: the block that wrote; 0 otherwise
  std::uint8_t written = 0;  // bytes that have a value, a bit each
};

constexpr std::size_t cell_bytes = 4;

/** Cells for a range of memory. They begin as zeros, and take memory when they are used. */
class ShadowRange {
 public:
  bool map(const void* begin, std::size_t bytes);
  bool holds(const void* address) const {
    const auto* byte = static_cast<const std::byte*>(address);
    return byte >= begin_ && byte < end_;
  }
  ShadowCell& cell(const void* address) const {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin_);
    return cells_[offset / cell_bytes];
  }
  /** Forgets what is known about these bytes. */
  void clear(const void* begin, std::size_t bytes) const;
  const std::byte* begin() const { return begin_; }

 private:
  const std::byte* begin_ = nullptr;
  const std::byte* end_ = nullptr;
  ShadowCell* cells_ = nullptr;
};

}  // namespace opsmith::gpu
