// Ends the process before it drives the machine into swap: an operator that allocates without end.
#pragma once

#include <cstdint>

namespace opsmith {

// Once the resident set passes `bytes`, the crash report gets a record with the reason "memory"
// and the stack of the running call, and the process ends with status 137. 0 turns it off.
void set_memory_limit(uint64_t bytes);

}  // namespace opsmith
