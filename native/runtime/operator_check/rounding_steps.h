// float32 within a function of float64: its values move in steps where they should move smoothly.
#pragma once

#include <functional>
#include <optional>

#include "runtime/differentiable.h"

namespace opsmith {

struct RoundingStep {
  size_t output = 0;
  int64_t flat = 0;     // the element, in row-major order
  double relative = 0;  // size of the step, as a part of the output's largest value
};

// Outputs with what is moved scaled by 1 + t; nullopt where there are none.
using OutputsAlong = std::function<std::optional<Tensors>(double t)>;

// An element of a float64 output that moves in steps of float32's size, again and again. Kinks
// (relu), single jumps (floor) and larger steps (quantisation) do not count.
// `moved`: how many numbers are scaled. The fewer there are, the farther the inputs are moved.
std::optional<RoundingStep> rounding_step(const OutputsAlong& outputs_along, int64_t moved);

}  // namespace opsmith
