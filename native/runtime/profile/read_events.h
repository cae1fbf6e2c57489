// The tree of events that Kineto answers with, as the columns of a ProfileTrace.
#pragma once

#include "runtime/profile/described_run.h"
#include "runtime/profile/profile.h"

namespace opsmith {

// Adds events, allocations and tables to `trace`, which has none yet. `program` (may be null) says
// where its functions are. False: the run went another way than `described`, so that places and
// inputs are missing.
bool read_events(const ProfileResults& roots, DescribedRun& described, const Program* program,
                 ProfileTrace& trace);

}  // namespace opsmith
