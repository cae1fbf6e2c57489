// Where in the program the events of a profiled run were called. Noting stacks takes most of the
// profiler's time: one run does it for the others, which time themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/profile/profile.h"

namespace torch::profiler::impl {
struct Result;
}

namespace opsmith {

using ProfileResults = std::vector<std::shared_ptr<torch::profiler::impl::Result>>;

// The events of the run that counts, the last one of a session, in the order of time: others warmed
// the profiler up.
ProfileResults roots_of_run(const ProfileResults& roots);

// Of the ranges that the run opened itself, together, in ns.
int64_t run_duration(const ProfileResults& roots);

class CallStacks {
 public:
  // Of a session with stacks.
  explicit CallStacks(const ProfileResults& roots);

  // The frames of the next event on a thread, outermost first; null where that event had another
  // name: the runs differ.
  const std::vector<ProfileFrame>* next(uint64_t thread, const std::string& name);
  // Whether all events were asked for.
  bool is_used_up() const;

 private:
  struct Noted {
    std::string name;
    std::vector<ProfileFrame> frames;
  };
  struct Thread {
    std::vector<Noted> noted;
    size_t next = 0;
    bool has_nodes = false;
  };
  void note(const torch::profiler::impl::Result& event);

  std::unordered_map<uint64_t, Thread> threads_;
};

}  // namespace opsmith
