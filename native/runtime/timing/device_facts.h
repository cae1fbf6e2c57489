// A GPU as its driver and NVML describe it. Both are NVIDIA's libraries and are opened at run time:
// the addon can be built and works without them. Never yet run on a machine with a GPU.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
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
  std::optional<int64_t> processes;           // that compute on it, this one included
  std::string missing;                        // why nothing is known; "" else
};
DeviceState device_state(at::Device device);

}  // namespace opsmith
