// Runs work in a copy of this process, since the work may end its process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opsmith {

struct ForkedOutcome {
  enum class End {
    answered,
    signalled,
    exited,  // exit() was called
    timed_out,
    not_started
  } end = End::not_started;
  std::string answer;     // what the work returned
  int signal = 0;         // of `signalled`
  uintptr_t address = 0;  // of a memory fault; 0 when unknown
  int status = 0;         // of `exited`
  int64_t process = 0;    // the copy's number, while it lived
  // A record of crash_report.h where there is one: of the end, or of the place that the work had
  // reached when it timed out.
  std::string report;
  std::string printed;  // the last lines that the copy printed to stdout and stderr

  bool ended() const { return end == End::signalled || end == End::exited; }
  std::string describe() const;  // "" when it answered: "a memory fault", "exit(3)"
};

// pool: at::parallel_for has threads of its own in the copy. one: the work runs serially, on the
// thread that was copied, as sanitizers need it.
enum class CopyThreads { pool, one };

// As long as one lives on a thread, its run_forked() makes the calls in this process: a copy cannot
// use a device. Only for an op host that may end at any time.
class NoCopies {
 public:
  NoCopies();
  ~NoCopies();
  NoCopies(const NoCopies&) = delete;
  NoCopies& operator=(const NoCopies&) = delete;
};

// `work` must not throw. The copy cannot use a device. A copy that outgrows the op host's
// memory limit is killed.
ForkedOutcome run_forked(const std::function<std::string()>& work, double seconds,
                         CopyThreads threads = CopyThreads::pool);

struct ForkedWork {
  std::function<std::string()> work;  // must not throw
  double seconds;                     // that it may take
};

struct ForkedFind {
  size_t at;  // the place of the work
  ForkedOutcome outcome;
};

// Makes calls in one copy, one after the other: a copy takes as long as many small calls. Stops at
// the first call that returns a text. If a call ends the copy or takes too long, `is_wanted`
// decides: true stops there, false makes the other calls in a new copy. Returns where it stopped,
// also if no copy could be started; nullopt after the last call.
std::optional<ForkedFind> find_forked(
    const std::vector<ForkedWork>& works,
    const std::function<bool(size_t, const ForkedOutcome&)>& is_wanted);

}  // namespace opsmith
