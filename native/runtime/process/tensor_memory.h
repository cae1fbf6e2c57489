// Where the memory of tensors comes from.
#pragma once

namespace opsmith {

// Electron's executable contains an allocator (Chromium's PartitionAlloc), and every library in the
// process gets it as malloc. It returns blocks of about a megabyte and more to the system as soon
// as they are freed, so the system must clear the pages of the next block again: an operator is
// then several times slower than in the user's own process. A block of 2 GiB ends the process. In
// such an executable, tensors on the CPU get libc's memory from now on, as in Python and C++. In
// other executables nothing changes: malloc is libc's, or one that somebody chose (a preloaded
// sanitizer's). Once, before the first tensor is made.
void use_libc_memory_for_tensors();

// For a copy of the op host that makes calls for an operator check: memory that is freed stays in
// the process. As a process starts, libc takes each block of 128 KiB and more from the system, and
// returns it when it is freed: half the time of a check went to the system clearing pages. Such a
// page is also zero where an operator forgets to write, and memory that was used before is not.
// Calls that are timed keep libc's own limits, as in the user's process.
void keep_freed_memory();

}  // namespace opsmith
