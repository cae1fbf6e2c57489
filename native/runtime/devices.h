// Devices that run kernels asynchronously: which this process uses, and waiting for them.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace opsmith {

// The number of devices that libtorch sees, of the kind with most devices; CPU and meta do not
// count. If there is one, the first backward of a process starts threads for it. From then on no
// copy of the process (fork) can run a backward.
int64_t visible_devices();

// The devices that this process uses already. The question starts no driver and no context.
std::vector<at::Device> devices_in_use();

// Waits until each device in use has finished its work. Throws what its backend throws.
void wait_for_devices();

// The error of a device, found by waiting for it. After an illegal write of a kernel, CUDA answers
// every later call of this process with the same error: `is_lasting`.
struct DeviceFault {
  std::string message;  // the first line
  bool is_lasting = false;
};
std::optional<DeviceFault> device_fault();

// Finds out whether code uses a device, also when its inputs and results are on the CPU. The code
// runs while the watch lives.
class DeviceWatch {
 public:
  DeviceWatch();
  // The first device that allocated memory since the watch began, or that is in use only since
  // then.
  std::optional<at::Device> used() const;

 private:
  std::unordered_map<at::Device, int64_t> allocations_;  // so far
  std::vector<at::Device> in_use_;
};

// Free bytes of a device; absent if its backend does not report them.
std::optional<int64_t> free_bytes(at::Device device);
// Frees memory that libtorch caches: other processes may need it.
void release_cached_memory(at::Device device);

}  // namespace opsmith
