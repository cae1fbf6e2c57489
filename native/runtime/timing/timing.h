// Timings of calls that are open: warmed up, looked at for what would make their timing a lie, and
// sampled as long as it is asked for. Who compares two of them takes samples of both in turn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/comparison.h"
#include "runtime/timing/timed_call.h"

namespace opsmith {

// contract/bench.ts's benchTrap.
struct TimingTrap {
  std::string kind;  // "cached", "constant", "asynchronous", "not a number"
  std::string message;
};

// contract/bench.ts's openedBench.
struct OpenedTiming {
  int64_t handle = 0;
  std::string op;
  int64_t calls_per_sample = 1;
  double seconds_per_call = 0;
  int64_t warmup_calls = 0;
  double warmup_seconds = 0;
  bool steady = false;
  int64_t bytes = 0;
  std::vector<TimingTrap> traps;
};

// contract/bench.ts's benchSamples.
struct TimingSamples {
  std::vector<double> seconds;  // of one call
  double wall = 0, thread = 0, process = 0, machine = 0;
  std::optional<double> instructions, cycles;  // of one call
};

// contract/bench.ts's benchLayers.
struct TimingLayers {
  double full = 0, below_autograd = 0;
  std::optional<double> kernel;
};

// All run on the call thread, and throw Failure (input.invalid) for a handle that is not open.
OpenedTiming open_timing(const TimedCallRequest& request);
TimingSamples sample_timing(int64_t handle, int64_t count);
TimingLayers timing_layers(int64_t handle);
void save_timing(int64_t handle, const std::string& path);  // throws Failure (io)
std::vector<Comparison> compare_timings(int64_t handle, int64_t with, const Tolerances& tolerances);
std::vector<Comparison> compare_timing(int64_t handle, const std::string& path,
                                       const Tolerances& tolerances);
int64_t close_timings(const std::vector<int64_t>& handles);  // how many there were
void close_all_timings();

// What would make a timing of `call` a lie.
std::vector<TimingTrap> find_traps(TimedCall& call);

}  // namespace opsmith
