// What kernels allocate themselves.
#pragma once

namespace opsmith::gpu {

/** True if the address lies in memory that a kernel allocated and nobody freed. */
bool in_device_heap(const void* address);

}  // namespace opsmith::gpu
