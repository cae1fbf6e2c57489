// The processes that user code starts, and those that they start in turn, whatever session or group
// they give themselves.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace opsmith {

// From now on a descendant whose parent ends becomes a child of this process: so all of them can be
// found. Does nothing if the system does not support it.
void adopt_descendants();

struct DescendantUse {
  int64_t processes = 0;  // that run; those that have ended and are not waited for do not count
  uint64_t bytes = 0;     // of memory
};

// While one lives, measure_descendants() leaves out the memory of this process. The code that waits
// for the process limits it.
class OwnMemoryLimit {
 public:
  explicit OwnMemoryLimit(pid_t process);
  ~OwnMemoryLimit();
  OwnMemoryLimit(const OwnMemoryLimit&) = delete;
  OwnMemoryLimit& operator=(const OwnMemoryLimit&) = delete;
};

// The parent of a process; absent if there is no such process, or it has ended and nobody has
// waited for it.
std::optional<pid_t> parent_of(pid_t process);

// Of all descendants now; for the usual case that there are none it costs one system call. Memory
// that several of them share is counted for each, unless `divides_shared`: then each has its part
// of it, which takes milliseconds for each gigabyte. Must not be called in a signal handler.
DescendantUse measure_descendants(bool divides_shared);

// Of this process, its part of what it shares; 0 where the system does not say.
uint64_t own_part_of_memory();

// Kills descendants until there are none. Must not be called in a signal handler.
void end_descendants();

}  // namespace opsmith
