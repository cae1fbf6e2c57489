// Memory of freed tensors, kept for the next ones of the same size.
//
// glibc returns large blocks to the system as soon as they are free, and the system must clear the
// pages of the next tensor again. With thousands of equal calls, this costs a sixth of the time.
#pragma once

#include <c10/core/Allocator.h>

namespace opsmith {

// As long as it lives, tensors on the CPU are allocated here, on all threads; only the call thread
// makes one, and one at a time. What was allocated may be freed later.
class KeptMemory {
 public:
  KeptMemory();
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  c10::Allocator* before_;
};

}  // namespace opsmith
