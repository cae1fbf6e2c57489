// Where the memory of tensors comes from.
#pragma once

namespace opsmith {

// Electron's executable brings an allocator of its own (Chromium's PartitionAlloc), which every
// library in the process then gets for malloc. Blocks of about a megabyte and more it gives back to
// the system as soon as they are freed, so that each call that makes one has all its pages cleared
// anew: an operator then takes several times as long as in the user's own process. A block of
// 2 GiB ends the process. In such an executable, tensors on the CPU get libc's memory from now on,
// as in Python and C++. In others nothing changes: memory is libc's already, or another's that
// somebody wanted (a preloaded sanitizer's).
// Once, before the first tensor is made.
void use_libc_memory_for_tensors();

}  // namespace opsmith
