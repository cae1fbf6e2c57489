// An allocator for CPU tensors that fills what it gives out, surrounds it with zones that nobody
// may write to, and counts.
#pragma once

#include <c10/core/Allocator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opsmith {

// Bytes written outside an allocation.
struct ZoneDamage {
  const void* data = nullptr;  // the allocation
  size_t bytes = 0;            // its size
  // Of the byte nearest to the allocation: negative before it, from 0 on after its last one.
  int64_t distance = 0;
  int64_t count = 0;  // bytes written in that zone
};

// As long as it lives, tensors on the CPU are allocated here; only the call thread makes one. What
// was allocated may be freed later.
class CheckingAllocation {
 public:
  explicit CheckingAllocation(uint8_t fill);
  ~CheckingAllocation();
  CheckingAllocation(const CheckingAllocation&) = delete;
  CheckingAllocation& operator=(const CheckingAllocation&) = delete;

  // Of allocations that are live, and of those freed since this was made.
  std::vector<ZoneDamage> damages() const;
  static size_t live_bytes();

 private:
  c10::Allocator* before_;
};

}  // namespace opsmith
