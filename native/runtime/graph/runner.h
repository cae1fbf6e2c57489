// An interpreter of TorchScript graphs that shows every node to its derived class.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <unordered_map>
#include <vector>

namespace opsmith {

// It runs control flow itself; it calls operators as libtorch's interpreter does; any other (a
// constructor of a tuple, an attribute of an object, a fused group) is run by that interpreter as a
// graph of one node. Loops keep to their trip counts, and exceptions of operators pass.
class GraphRunner {
 public:
  using Stack = std::vector<c10::IValue>;

  // The graph must outlive the runner and stay as it is.
  explicit GraphRunner(torch::jit::Graph& graph);
  virtual ~GraphRunner() = default;

 protected:
  // The graph's results; its values can be asked for until the next run.
  Stack run_graph(const Stack& arguments);

  // Around every node, control flow included. `id` is the node's among numbered_nodes.
  virtual void run_node(torch::jit::Node& node, size_t id);
  // An operator or another node without blocks: takes inputs, leaves outputs.
  virtual void call(torch::jit::Node& node, size_t id, Stack& stack);

  // Among numbered_nodes.
  size_t id_of(const torch::jit::Node& node) const { return ids_.at(&node); }
  const c10::IValue& value(const torch::jit::Value* name) const { return values_.at(name); }
  // How the values of control flow get their names: a body's inputs, an if's outputs.
  virtual void bind(at::ArrayRef<torch::jit::Value*> names, at::ArrayRef<torch::jit::Value*> from,
                    const Stack& values);

  torch::jit::Graph& graph() { return graph_; }
  const std::vector<torch::jit::Node*>& nodes() const { return nodes_; }

 private:
  using Work = std::function<void(Stack&)>;

  Stack take(at::ArrayRef<torch::jit::Value*> names) const;
  void run_block(torch::jit::Block& block);
  void run_if(torch::jit::Node& node);
  void run_loop(torch::jit::Node& node);
  static Work make_work(torch::jit::Node& node);

  torch::jit::Graph& graph_;
  std::vector<torch::jit::Node*> nodes_;
  std::unordered_map<const torch::jit::Node*, size_t> ids_;
  std::unordered_map<const torch::jit::Value*, c10::IValue> values_;
  std::vector<Work> work_;
};

}  // namespace opsmith
