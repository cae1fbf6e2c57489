// Random values of inputs, kept for the next call with the same ones: drawing them takes longer
// than many an operator.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "runtime/inputs.h"

namespace opsmith {

// A new tensor on the CPU with the values of `draw()`, which is called where they are not kept.
// Kept are some small strided inputs of the calling thread. User code may have written over them,
// past the end of a tensor of its own: they are compared with their hash, and drawn again where
// they differ.
at::Tensor drawn_values(const InputSpec& spec, const std::function<at::Tensor()>& draw);

}  // namespace opsmith
