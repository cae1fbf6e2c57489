// A GPU as its driver and NVML describe it. Both are NVIDIA's libraries and are opened at run time:
// the addon can be built and works without them.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace opsmith {

// contract/timing-device.ts's deviceFacts.
struct DeviceFacts {
  std::string device, name;
  int64_t cache_bytes = 0, multiprocessors = 0;  // 0 where the driver does not say
  std::string missing;                           // why it does not; "" else
};
DeviceFacts device_facts(at::Device device);

// contract/timing-device.ts's deviceState: of this moment.
struct DeviceState {
  std::optional<double> clock, memory_clock;  // Hz
  std::optional<double> temperature, power;   // degrees Celsius, W
  std::vector<std::string> slowed_by;         // "power cap", "heat": why the clock is kept down
  // That compute on it and are not op hosts of the same Opsmith; absent where NVML's list is not of
  // them: on a part of a GPU (MIG), under MPS, and where processes have other numbers (a
  // container).
  std::optional<int64_t> other_processes;
  std::string missing;  // why nothing is known; "" else
};
DeviceState device_state(at::Device device);

// Nanoseconds for which the clock was kept down so far, by the same names; empty where the driver
// does not count them. What happens between two looks at the state is seen by them only.
std::map<std::string, int64_t> slowed_so_far(at::Device device);

// Lines of the L2 cache that a kernel has asked to keep may be overwritten again.
void reset_persisting_cache(at::Device device);

}  // namespace opsmith
