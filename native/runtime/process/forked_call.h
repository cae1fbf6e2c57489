// A piece of work in a copy of this process, which may die of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace opsmith {

struct ForkedOutcome {
  enum class End { answered, signalled, timed_out, not_started } end = End::not_started;
  std::string answer;            // what the work returned
  int signal = 0;                // of `signalled`
  uintptr_t address = 0;         // of a memory fault; 0 when unknown
  int64_t process = 0;           // the copy's number, while it lived
  std::string describe() const;  // "" when it answered: "segmentation fault", "no answer in 20 s"
};

// The copy has only the calling thread: at::parallel_for runs serially in it, and CUDA is out of
// reach. `work` must not throw.
ForkedOutcome run_forked(const std::function<std::string()>& work, double seconds);

}  // namespace opsmith
