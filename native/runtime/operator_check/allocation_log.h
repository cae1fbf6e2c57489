// Where tensors were allocated. Sanitizers walk allocations' stacks by frame pointers, which
// libtorch does not keep: of a tensor that an operator made they do not reach the operator.
#pragma once

namespace opsmith {

// From now on, until the process ends, libtorch's CPU allocations are written to stderr, the first
// thousands of them, each with its stack in the sanitizers' own form:
//
//   opsmith: allocated [0x60b0,0x60c8)
//       #0 0x7f12 (/path/libmy_op.so+0x1234)
//
// For a copy of the process only (forked_call.h): it is never undone.
void log_allocations();

}  // namespace opsmith
