// The tree of events that Kineto answers with, as the columns of a ProfileTrace.
#pragma once

#include "runtime/profile/call_stacks.h"
#include "runtime/profile/profile.h"

namespace opsmith {

// Adds events, allocations and tables to `trace`, which has none yet. `program` (may be null) says
// where its functions are. False: the run went another way than the one that `stacks` is of, so
// that places are missing.
bool read_events(const ProfileResults& roots, CallStacks& stacks, const Program* program,
                 ProfileTrace& trace);

}  // namespace opsmith
