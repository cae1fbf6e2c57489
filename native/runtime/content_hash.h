// A hash of tensors' values, to compare them without keeping or showing them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace opsmith {

// 16 hexadecimal digits of all values of the tensors, in order: equal bytes give equal digits,
// whatever the strides and the device. Different bytes collide once in 2^64. This is not a
// cryptographic hash. "" where values cannot be read (a meta tensor, a sparse one).
std::string content_hash(const std::vector<at::Tensor>& tensors);

}  // namespace opsmith
