// Runs a graph node by node: time, outputs and memory of each node.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <vector>

namespace opsmith {

// contract/graph.ts's observedValue.
struct ObservedValue {
  std::string name, dtype, device;
  std::vector<int64_t> shape;
  int64_t nan = 0, inf = 0;
  std::optional<double> min, max, mean;
};

struct ObservedNode {
  int64_t id = 0;
  int64_t calls = 0;
  double seconds = 0;
  int64_t bytes = 0;
  std::vector<ObservedValue> values;
};

struct GraphObservation {
  double seconds = 0;
  int64_t runs = 0;
  std::vector<ObservedNode> nodes;
};

// Runs the graph once to warm up, `runs` times for the clock (medians), and once more to look at
// values. Operators are called one by one, unfused, each waited for on CUDA; arguments are copied
// for each run. Ids are numbered_nodes'. Nested graphs of fused groups run as one node. Throws what
// an operator throws.
GraphObservation observe_graph(torch::jit::Graph& graph, const std::vector<c10::IValue>& arguments,
                               int64_t runs);

}  // namespace opsmith
