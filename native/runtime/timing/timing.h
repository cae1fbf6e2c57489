// Timings of calls that are open: warmed up, looked at for what would make their timing a lie, and
// sampled as long as it is asked for. Who compares two of them takes samples of both in turn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/comparison.h"
#include "runtime/timing/device_calls.h"
#include "runtime/timing/device_facts.h"
#include "runtime/timing/timed_call.h"

namespace opsmith {

// contract/bench.ts's benchTrap.
struct TimingTrap {
  std::string kind;  // "cached", "constant", "asynchronous", "waits", "not a number"
  std::string message;
};

// contract/bench.ts's openedBench.
struct OpenedTiming {
  int64_t handle = 0;
  std::string op, device;
  int64_t calls_per_sample = 1;
  double seconds_per_call = 0;
  int64_t warmup_calls = 0;
  double warmup_seconds = 0;
  bool steady = false;
  int64_t bytes = 0, flops = 0;
  bool gives_views = false;
  std::vector<TimingTrap> traps;
};

// What is read of a device while samples are taken; contract/bench-device.ts's deviceSamples.
struct DeviceSamples {
  double launch = 0;  // seconds
  DeviceState before, after;
};

// contract/bench.ts's benchSamples.
struct TimingSamples {
  std::vector<double> seconds;  // of one call
  double wall = 0, thread = 0, process = 0, machine = 0;
  std::optional<double> instructions, cycles;  // of one call
  // Of the processor, in Hz, right before the samples and right after them.
  std::optional<double> frequency_before, frequency_after;
  std::optional<DeviceSamples> device;  // absent on the CPU
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
// Both throw Failure (device.unavailable) for a call on the CPU.
ReplayedCall replay_timing(int64_t handle, int64_t count);
void profile_timing(int64_t handle, const std::string& path);  // throws Failure (io)
void save_timing(int64_t handle, const std::string& path);     // throws Failure (io)
std::vector<Comparison> compare_timings(int64_t handle, int64_t with, const Tolerances& tolerances);
std::vector<Comparison> compare_timing(int64_t handle, const std::string& path,
                                       const Tolerances& tolerances);
int64_t close_timings(const std::vector<int64_t>& handles);  // how many there were
void close_all_timings();

// What would make a timing of `call` a lie.
// `clock` is that of its device; nullptr on the CPU.
std::vector<TimingTrap> find_traps(TimedCall& call, DeviceClock* clock);

}  // namespace opsmith
