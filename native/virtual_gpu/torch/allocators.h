#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>

namespace opsmith::gpu {

/// Allocates on the current CUDA device, and counts.
c10::DeviceAllocator& device_allocator();

/// Host memory that is_pinned() knows.
c10::Allocator& pinned_allocator();
bool is_pinned(const void* address);

/// Puts an allocator before libtorch's for the CPU, so that `ResultsOnDevice` can divert it.
void divert_cpu_allocator();

/// What libtorch allocates for the CPU on this thread comes from a device's memory: results of CPU
/// kernels that run for that device are then where they belong, without a copy.
class ResultsOnDevice {
 public:
  explicit ResultsOnDevice(c10::DeviceIndex device);
  ~ResultsOnDevice();
  ResultsOnDevice(const ResultsOnDevice&) = delete;
  ResultsOnDevice& operator=(const ResultsOnDevice&) = delete;

 private:
  c10::DeviceIndex before_;
};

}  // namespace opsmith::gpu
