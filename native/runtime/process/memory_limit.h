// Ends the process before it drives the machine into swap: an operator that allocates without end.
#pragma once

#include <cstdint>

namespace opsmith {

// Once the resident set passes `bytes`, the crash report gets a record with the reason "memory"
// and the stack of the running call, and the process ends with status 137. 0 turns it off.
void set_memory_limit(uint64_t bytes);
uint64_t memory_limit();

// Of this process; 0 where the system does not say.
uint64_t resident_bytes();
// Of another process, by its number.
uint64_t resident_bytes(int64_t process);

// While one lives, the resident set is looked at ten times less often: each look takes the core, or
// what its caches hold, from the calls that are timed.
class RareMemoryLooks {
 public:
  RareMemoryLooks();
  ~RareMemoryLooks();
  RareMemoryLooks(const RareMemoryLooks&) = delete;
  RareMemoryLooks& operator=(const RareMemoryLooks&) = delete;
};

}  // namespace opsmith
