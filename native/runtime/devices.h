// Devices that work by themselves, and what this process has to do with them.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace opsmith {

// How many devices of one kind libtorch sees, of the kind that has most: CPU and meta are none. As
// soon as there is one, the first backward of a process starts threads for it, and from then on no
// copy of the process (fork) can make a backward at all.
int64_t visible_devices();

// Those that this process works with already. Asking starts no driver and makes no context.
std::vector<at::Device> devices_in_use();

// Until each of them has done what it was given. Throws what its backend throws.
void wait_for_devices();

// What a device says that is waited for, where it fails. After a kernel that wrote where it may
// not, CUDA gives the same error to all that this process asks of it from then on: `is_lasting`.
struct DeviceFault {
  std::string message;  // the first line
  bool is_lasting = false;
};
std::optional<DeviceFault> device_fault();

// Whether what runs while it lives works with a device, whatever its inputs and results say.
class DeviceWatch {
 public:
  DeviceWatch();
  // The first device that has given memory meanwhile, or is in use only since.
  std::optional<at::Device> used() const;

 private:
  std::unordered_map<at::Device, int64_t> allocations_;  // so far
  std::vector<at::Device> in_use_;
};

// Bytes that a device has left; absent where it does not say.
std::optional<int64_t> free_bytes(at::Device device);
// Gives memory back that libtorch keeps for later: other processes may need it.
void release_cached_memory(at::Device device);

}  // namespace opsmith
