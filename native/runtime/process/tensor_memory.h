// Where the memory of tensors comes from.
#pragma once

namespace opsmith {

// Electron's executable brings an allocator of its own (Chromium's PartitionAlloc), which every
// library in the process then gets for malloc. It gives a block of a megabyte or more back to the
// system each time that one is freed, and refuses blocks of 2 GiB: an operator whose output is that
// large takes several times as long as in the user's own process, since the system clears all pages
// anew, or cannot be called at all. In such an executable, tensors on the CPU get libc's memory
// from now on, as they do in Python and in C++. In others nothing changes: memory is libc's
// already, or somebody wanted another one's (a preloaded sanitizer). Before the first tensor is
// made, and once.
void use_libc_memory_for_tensors();

}  // namespace opsmith
