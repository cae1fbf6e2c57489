// Timings of calls that are open: warmed up, checked for causes of a wrong time, and sampled on
// request. To compare two timings, take samples of both in turn.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/comparison.h"
#include "runtime/timing/device_calls.h"
#include "runtime/timing/device_facts.h"
#include "runtime/timing/timed_call.h"

namespace opsmith {

enum class TimingTrapKind { cached, constant, asynchronous, waits, not_a_number };
constexpr auto texts_of(TimingTrapKind) {
  return enum_texts<TimingTrapKind>({{TimingTrapKind::cached, "cached"},
                                     {TimingTrapKind::constant, "constant"},
                                     {TimingTrapKind::asynchronous, "asynchronous"},
                                     {TimingTrapKind::waits, "waits"},
                                     {TimingTrapKind::not_a_number, "not a number"}});
}

// contract/timing.ts's timingTrap.
struct TimingTrap {
  TimingTrapKind kind = TimingTrapKind::cached;
  std::string message;
};

struct Warmup {
  int64_t calls = 0;
  double seconds = 0;
  bool steady = false;
};

// contract/timing.ts's openedTiming.
struct OpenedTiming {
  int64_t handle = 0;
  std::string op, device;
  int64_t calls_per_sample = 1;
  double seconds_per_call = 0;
  Warmup warmup;
  int64_t bytes = 0, flops = 0;
  bool gives_views = false;
  double between_events = 0;  // seconds, with nothing between them; 0 on the CPU
  std::vector<TimingTrap> traps;
};

// What is read of a device while samples are taken; contract/timing-device.ts's deviceSamples.
struct DeviceSamples {
  double launch = 0;  // seconds
  DeviceState before, after;
  int64_t behind = 0;  // samples that hold some launching
};

// contract/timing.ts's timingSamples.
struct TimingSamples {
  std::vector<double> seconds;  // of one call
  double wall = 0, thread = 0, process = 0, machine = 0;
  std::optional<double> instructions, cycles;  // of one call
  // Of the processor, in Hz, right before the samples and right after them.
  std::optional<std::array<double, 2>> frequencies;
  std::optional<DeviceSamples> device;  // absent on the CPU
};

// contract/timing.ts's timingLayers.
struct TimingLayers {
  double full = 0, below_autograd = 0;
  std::optional<double> kernel;
};

struct TimingHandle {
  int64_t handle = 0;
};

struct SampleRequest {
  int64_t handle = 0, count = 1;
};

struct TimingFileRequest {
  int64_t handle = 0;
  std::string path;
};

struct WrittenFile {
  std::string path;
};

// `missing`: why there may be no kernel in the trace.
struct ProfiledCall {
  std::string path, missing;
};

// `with`: another open timing, or a file that save_timing() wrote.
struct CompareRequest {
  int64_t handle = 0;
  std::variant<int64_t, std::string> with;
  Tolerances tolerances;
};

struct TimingComparison {
  std::vector<Comparison> comparisons;
};

struct TimingHandles {
  std::vector<int64_t> handles;
};

struct ClosedTimings {
  int64_t closed = 0;  // how many of them were open
};

// All run on the call thread, and throw Failure (input.invalid) for a handle that is not open.
OpenedTiming open_timing(const TimedCallRequest& request);
TimingSamples sample_timing(const SampleRequest& request);
TimingLayers timing_layers(const TimingHandle& request);
// Both throw Failure (device.unavailable) for a call on the CPU.
ReplayedCall replay_timing(const SampleRequest& request);
ProfiledCall profile_timing(const TimingFileRequest& request);  // throws Failure (io)
WrittenFile save_timing(const TimingFileRequest& request);      // throws Failure (io)
TimingComparison compare_timing(const CompareRequest& request);
ClosedTimings close_timings(const TimingHandles& requested);
void close_all_timings();

// What would make the time of `call` wrong.
// `clock` is that of its device; nullptr on the CPU.
std::vector<TimingTrap> find_traps(TimedCall& call, DeviceClock* clock);

}  // namespace opsmith
