// A TorchScript graph as contract/graph.ts's `graph` and as PyTorch prints it, tied to each other.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/enum_text.h"

namespace opsmith {

enum class GraphForm { script, trace, autograd, executed };
constexpr auto texts_of(GraphForm) {
  return enum_texts<GraphForm>({{GraphForm::script, "script"},
                                {GraphForm::trace, "trace"},
                                {GraphForm::autograd, "autograd"},
                                {GraphForm::executed, "executed"}});
}

struct GraphText {
  std::string graph;  // JSON
  std::string text;   // torch::jit::Graph::toString(), byte for byte
};

// What torch::jit::AliasDb says of a node: names of its inputs.
struct NodeAliases {
  std::vector<std::string> may_alias;  // inputs that an output may share memory with
  std::vector<std::string> writes_to;  // inputs that it may write to
};
using GraphAliases = std::unordered_map<const torch::jit::Node*, NodeAliases>;

struct GraphPlace {
  std::string file;
  int64_t line = 0, column = 0, end_line = 0, end_column = 0;  // from 1, the end exclusive
};

// Where a source range lies; of code that was loaded from an archive, in the original source; null
// for what libtorch itself wrote.
std::optional<GraphPlace> place_of(const torch::jit::SourceRange& range);

// Every node in the order of its id: before the nodes of its blocks, and those before the next
// node.
std::vector<torch::jit::Node*> numbered_nodes(torch::jit::Graph& graph);

// Names as numbered_nodes' graph prints them; a value of a subgraph gets its group's name in front
// ("TensorExprGroup_0/x.1"), since only within its own graph is a name unique. `aliases` may be
// null.
GraphText write_graph(const std::string& name, GraphForm form, torch::jit::Graph& graph,
                      const GraphAliases* aliases);

}  // namespace opsmith
