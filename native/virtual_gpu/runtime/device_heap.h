// What kernels allocate themselves.
#pragma once

#include <cstddef>

namespace opsmith::gpu {

/** Notes memory that a kernel allocated; nothing where no kernel runs. */
void note_device_heap(void* address, std::size_t bytes);
void forget_device_heap(void* address);

}  // namespace opsmith::gpu
