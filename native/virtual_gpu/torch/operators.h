#pragma once

#include <cstddef>

namespace opsmith::gpu {

/// Gives libtorch's operators their kernels for CUDA tensors; what has none is refused by name.
void register_operators();

}  // namespace opsmith::gpu
