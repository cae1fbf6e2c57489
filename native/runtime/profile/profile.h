// One run of a program's function or of an operator as libtorch's profiler (Kineto) saw it: what
// ran within what, for how long, on which thread or stream, from which line, and what memory it
// took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/inputs.h"
#include "runtime/program/program.h"

namespace opsmith {

// contract/profile.ts's profileRequest.
struct ProfileRequest {
  std::string op;
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
  std::optional<ProgramSource> program;
  bool backward = false;
  int64_t threads = 1;
};

// A line of the program within a function; line 0 when only the function is known.
struct ProfileFrame {
  std::string function, file;
  int64_t line = 0;
};

struct ProfileTrack {
  std::string name;
  bool is_device = false;
};

// In the order of contract/profile.ts's profileKinds.
enum class ProfileKind : uint8_t { Range, Function, Custom, Operator, Backward, Runtime, Device };

// contract/profile.ts's profileEvents: a column each, parents before their children, times in ns
// from the start of the run. -1: none.
struct ProfileEvents {
  std::vector<int64_t> name, kind, start, duration, track, parent, stack, inputs, forward, details;
};

// contract/profile.ts's profileAllocations, in the order of time.
struct ProfileAllocations {
  std::vector<int64_t> time, bytes, device, event, block;
};

// contract/profile.ts's profileTrace.
struct ProfileTrace {
  std::string op;
  int64_t threads = 1;
  std::vector<std::string> names, inputs, details, devices;
  std::vector<ProfileFrame> frames;
  std::vector<std::vector<int64_t>> stacks;  // outermost first
  std::vector<ProfileTrack> tracks;
  ProfileEvents events;
  ProfileAllocations allocations;
  int64_t cut_events = 0, cut_allocations = 0;
  std::vector<int64_t> run_ns;  // of each profiled run
  int64_t chosen = 0;           // among them
  int64_t plain_runs = 0;       // without the profiler
  int64_t plain_ns = 0;         // their median
  int64_t input_bytes = 0;      // of the storages that the arguments hold
  int64_t result_bytes = 0;     // of those of outputs and gradients that no argument holds
  bool has_device = false;      // kernels of a device were asked for
  std::string device_missing;   // why none were seen; "" else
};

// Runs the call without the profiler until it is warm, then a few times with it, each on copies of
// the arguments; of the run of the median time everything is kept, up to 100,000 events and as many
// allocations. Lines and arguments are those of one more run, whose events are the same. Backward
// is of the sum of the outputs, to the inputs that require grad. Throws Failure (operator.unknown,
// program.compile, input.invalid, device.unavailable; derivative.missing where there is nothing to
// derive; toolchain.missing where libtorch has no profiler), and what the operator throws.
ProfileTrace run_profile(const ProfileRequest& request);

}  // namespace opsmith
