// Memory of the device. The host has it twice: at the addresses that tensors have it cannot touch it, as
// that of a GPU, and at others the device's threads work on it.
#pragma once

#include <c10/core/Allocator.h>

#include <cstddef>
#include <cstdint>

namespace test_device {

c10::Allocator* device_memory();

/// Where the device's threads find what tensors have at `address`.
void* seen_by_device(const void* address);

/// From now on there are so many bytes; 0: as many as ever.
void limit_memory(int64_t bytes);
/// That are free, and kept for tensors to come.
int64_t kept_memory();

}  // namespace test_device
