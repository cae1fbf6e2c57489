// How deep a graph is: libtorch's passes follow a value to what made it by recursion.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>

namespace opsmith {

// Nodes of the longest way from an input or a constant to the end, through blocks too.
int64_t longest_chain(const torch::jit::Graph& graph);

// Says so in the crash report of the running call where the graph is so deep that a pass may need
// more stack than there is.
void note_depth(const torch::jit::Graph& graph);

}  // namespace opsmith
