// Random values of inputs, kept for the next call with the same ones: drawing them often takes
// longer than the operator.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "runtime/inputs.h"

namespace opsmith {

// A new tensor on the CPU with the values of `draw()`, which is called if the values are not kept.
// Some small strided inputs of the calling thread are kept. User code may overwrite them by a write
// past the end of a tensor, so they are compared with their hash and drawn again if they differ.
at::Tensor drawn_values(const InputSpec& spec, const std::function<at::Tensor()>& draw);

}  // namespace opsmith
