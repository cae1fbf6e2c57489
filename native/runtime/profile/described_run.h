// Where in the program the events of a profiled run were called, and with what. Noting this takes
// most of the profiler's time: one run does it for the others, which time themselves.
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

class DescribedRun {
 public:
  // Of a session with stacks and inputs; the roots must outlive this.
  explicit DescribedRun(const ProfileResults& roots);

  struct Noted {
    std::string name;
    std::vector<ProfileFrame> frames;  // outermost first
    const torch::profiler::impl::Result* event = nullptr;
  };
  // The next event on a thread; null where it had another name: the runs differ.
  const Noted* next(uint64_t thread, const std::string& name);
  // Whether all events were asked for.
  bool is_used_up() const;

 private:
  struct Thread {
    std::vector<Noted> noted;
    size_t next = 0;
    bool has_nodes = false;
  };
  void note(const torch::profiler::impl::Result& event);

  std::unordered_map<uint64_t, Thread> threads_;
};

}  // namespace opsmith
