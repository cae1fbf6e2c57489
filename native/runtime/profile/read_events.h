// Converts Kineto's tree of events to the columns of a ProfileTrace.
#pragma once

#include "runtime/profile/described_run.h"
#include "runtime/profile/profile.h"

namespace opsmith {

// Adds events, allocations and tables to `trace`, which has none yet. `program` (may be null) says
// where its functions are. False if the run took another path than `described`: then places and
// inputs are missing.
bool read_events(const ProfileResults& roots, DescribedRun& described, const Program* program,
                 ProfileTrace& trace);

}  // namespace opsmith
