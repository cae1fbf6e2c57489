// More facts about a call on a GPU: its time in a replayed graph, its kernels, and the limits of
// the device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/timing/device_clock.h"
#include "runtime/timing/device_facts.h"
#include "runtime/timing/timed_call.h"

namespace opsmith {

// contract/timing-device.ts's replayedTiming.
struct ReplayedCall {
  std::vector<double> seconds;  // of one call
  std::string missing;          // why it cannot be replayed; "" else
};
// `calls` calls captured into one graph, on a stream of its own, and replayed: they share one
// launch, that of the graph. First the results of a replay are compared with those of the call.
ReplayedCall replay_call(TimedCall& call, DeviceClock& clock, int64_t count, int64_t calls);

// contract/timing-device.ts's deviceCeilings: a copy of far more bytes than the cache holds, and
// products of matrices that grow until they take a while; the best of several each.
struct DeviceCeilings {
  double bytes_per_second = 0;
  std::map<std::string, double>
      flops;          // by dtype; dtypes that the device does not support are absent
  DeviceState state;  // at work on the last product
};
DeviceCeilings measure_device(at::Device device);

// One call under libtorch's profiler; its trace is written to `path` as Chrome's trace JSON. Gives
// what Kineto said on stderr when it began. Throws Failure (io).
std::string profile_call(TimedCall& call, const DeviceClock& clock, const std::string& path);

}  // namespace opsmith
