// Inputs that are shared by calls that are timed in turn.
#pragma once

#include <ATen/core/Tensor.h>

#include "runtime/inputs.h"

namespace opsmith {

// make_input(spec), or the tensor that another open call made of the same specification. The
// address of a tensor changes the time of a call by a few percent: sigmoid of [1048576] float32
// took 0.95 to 1.09 times as long as itself with inputs of its own, for as long as these lived, and
// 0.99 to 1.01 with the same ones. Only for calls that do not write to their inputs: a tensor that
// was written to is not handed out again. `spec` has a shape and a seed; others, and sparse ones,
// are made anew. Throws what make_input() throws.
at::Tensor shared_input(const InputSpec& spec);

}  // namespace opsmith
