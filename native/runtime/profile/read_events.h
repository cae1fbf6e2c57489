// The tree of events that Kineto answers with, as the columns of a ProfileTrace.
#pragma once

#include <memory>
#include <vector>

#include "runtime/profile/profile.h"

namespace torch::profiler::impl {
struct Result;
}

namespace opsmith {

// Adds the trees' events, allocations and tables to `trace`. `program` (may be null) says where its
// functions are.
void read_events(const std::vector<std::shared_ptr<torch::profiler::impl::Result>>& roots,
                 const Program* program, ProfileTrace& trace);

// Of the ranges that the profiled run opened itself, together.
int64_t run_duration(const std::vector<std::shared_ptr<torch::profiler::impl::Result>>& roots);

}  // namespace opsmith
