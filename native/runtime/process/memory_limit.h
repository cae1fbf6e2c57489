// Ends the process, and those that it started, before they drive the machine into swap: an operator
// that allocates, or forks, without end.
#pragma once

#include <cstdint>

namespace opsmith {

// Once this process and its descendants hold more than `bytes` (0: no limit), the crash report gets
// a record with the reason "memory" and the stack of the running call; once more than `processes`
// descendants run, one with the reason "processes". Then all of them are killed, and this process
// ends with status 137.
void set_limits(uint64_t bytes, int64_t processes);
uint64_t memory_limit();  // bytes

// Of this process; 0 where the system does not say.
uint64_t resident_bytes();
// Of another process, by its number.
uint64_t resident_bytes(int64_t process);

// While one lives, the resident set is measured ten times less often: each measurement interrupts
// the timed calls and disturbs the caches.
class RareMemoryLooks {
 public:
  RareMemoryLooks();
  ~RareMemoryLooks();
  RareMemoryLooks(const RareMemoryLooks&) = delete;
  RareMemoryLooks& operator=(const RareMemoryLooks&) = delete;
};

}  // namespace opsmith
