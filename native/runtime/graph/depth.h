// How deep a graph is: libtorch's passes follow values to their producers by recursion.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>

namespace opsmith {

// Nodes of the longest way from an input or a constant to the end, through blocks too.
int64_t longest_chain(const torch::jit::Graph& graph);

// Notes in the crash report of the running call that the graph is so deep that a pass may overflow
// the stack.
void note_depth(const torch::jit::Graph& graph);

}  // namespace opsmith
