// The autograd graph of a call: grad_fn nodes from the outputs to the leaves.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/text.h"

namespace opsmith {

struct AutogradGraph {
  GraphText text;
  int64_t nodes = 0;
};

// Nodes come before those they pass gradients to. Values are gradients: of output i
// "grad_output<i>", into a leaf "<name>.grad". Attributes: "saved" (tensors kept for backward, each
// with where it comes from), "saved_bytes", and of a leaf "variable". `named` are the call's
// inputs. An output without grad_fn is left out; with none at all the graph is empty.
AutogradGraph describe_autograd(const std::string& name,
                                const std::vector<std::pair<std::string, at::Tensor>>& named,
                                const std::vector<c10::IValue>& outputs);

}  // namespace opsmith
