#include "runtime/graph/autograd.h"

#include <dlfcn.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <map>
#include <set>
#include <sstream>
#include <typeinfo>

#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/json_text.h"
#include "runtime/library.h"

namespace opsmith {
namespace {

using torch::autograd::Edge;
using torch::autograd::Node;
using NodePointer = decltype(Edge::function);  // intrusive or shared, by libtorch's version

// "Double(4, 8)" as graphs print a tensor's type.
std::string type_text(c10::ScalarType dtype, at::IntArrayRef sizes) {
  std::ostringstream text;
  text << toString(dtype) << "(";
  for (size_t i = 0; i < sizes.size(); ++i)
    text << (i > 0 ? ", " : "") << sizes[i];
  text << ")";
  return text.str();
}

struct Saved {
  std::string text;
  int64_t bytes = 0;
};

struct Step {
  NodePointer node;
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::pair<std::string, Edge>> outputs;  // the value's name and where it goes
  std::vector<Saved> saved;
  std::string saved_unknown;  // why the saved tensors could not be read
};

// Compiled autograd asks every node for the tensors that it saved: the one way to them that all
// nodes have, the user's included, and that runs nothing.
class Walker {
 public:
  explicit Walker(const std::vector<std::pair<std::string, at::Tensor>>& named) : named_(named) {}

  void add_output(size_t index, const at::Tensor& output) {
    const auto edge = torch::autograd::impl::gradient_edge(output);
    if (!edge.function) return;
    const std::string name = "grad_output" + std::to_string(index);
    inputs_.push_back({name, edge});
    visit(edge.function);
  }

  AutogradGraph write(const std::string& name) {
    order();
    return {write_text(name), static_cast<int64_t>(steps_.size())};
  }

 private:
  using Value = std::pair<std::string, Edge>;

  // Iterative: a deep network has more nodes than the call stack has room for.
  void visit(const NodePointer& root) {
    std::vector<std::pair<NodePointer, size_t>> stack;
    if (!seen_.insert(root.get()).second) return;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == node->num_outputs()) {
        finished_.push_back(node);
        stack.pop_back();
        continue;
      }
      const auto function = node->next_edge(next++).function;
      if (function && seen_.insert(function.get()).second) stack.emplace_back(function, 0);
    }
  }

  std::string input_name(const at::Tensor& tensor) const {
    for (const auto& [name, input] : named_) {
      if (input.unsafeGetTensorImpl() == tensor.unsafeGetTensorImpl()) return name;
      if (input.defined() && tensor.has_storage() && input.has_storage() &&
          input.storage().is_alias_of(tensor.storage())) {
        return name;
      }
    }
    return "";
  }

  std::string origin_of(const at::Tensor& tensor) const {
    auto name = input_name(tensor);
    if (!name.empty()) return name;
    if (const auto& function = tensor.grad_fn()) return "result of " + name_of(*function);
    return "intermediate";
  }

  void add_saved(Step& step, const at::Tensor& tensor) const {
    if (!tensor.defined()) return;
    step.saved.push_back(
        {origin_of(tensor) + ": " + type_text(tensor.scalar_type(), tensor.sizes()),
         static_cast<int64_t>(tensor.nbytes())});
  }

  void read_saved(Step& step) const {
    if (is_leaf(*step.node)) return;
    if (const auto entry = describe_entry(*step.node)) {
      for (const auto& tensor : entry->saved)
        add_saved(step, tensor);
      return;
    }
    torch::dynamo::autograd::AutogradCompilerCall collector(
        torch::dynamo::autograd::SizeInput::STATIC);
    auto& call = collector.node_calls.lookup(step.node);
    torch::dynamo::autograd::CompiledNodeArgs arguments(collector, call);
    // A node may refuse (saved data that cannot be hashed, buffers that are freed): what it saved
    // is then said to be unknown, and the rest of the graph is still there.
    try {
      step.node->compiled_args(arguments);
    } catch (...) {
      const auto failure = describe_current_exception();
      step.saved_unknown = failure.message.substr(0, failure.message.find('\n'));
    }
    for (const auto& tensor : collector.tensor_args.inputs)
      add_saved(step, tensor);
  }

  static bool is_leaf(const Node& node) {
    return dynamic_cast<const torch::autograd::AccumulateGrad*>(&node) != nullptr;
  }

  // "MulBackward0", "RmsNormFunction": without the template that a C++ function is wrapped in.
  static std::string clean_name(const Node& node) {
    auto name = node.name();
    const auto open = name.find('<'), close = name.rfind('>');
    if (name.find("CppNode") != std::string::npos && close != std::string::npos && open < close) {
      name = name.substr(open + 1, close - open - 1);
    }
    static const std::string anonymous = "(anonymous namespace)::";
    for (auto at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous)) {
      name.erase(at, anonymous.size());
    }
    const auto last = name.rfind("::");
    return last == std::string::npos ? name : name.substr(last + 2);
  }

  struct Entry {
    std::string name;
    std::vector<at::Tensor> saved;
  };

  // Of an `autograd` entry, which its library describes: native/include/opsmith/autograd.cpp.
  static std::optional<Entry> describe_entry(Node& node) {
    using Describe = bool (*)(Node*, std::string*, std::vector<at::Tensor>*);
    const auto describe =
        reinterpret_cast<Describe>(library_symbol("opsmith_describe_autograd_node"));
    Entry entry;
    if (describe == nullptr || !describe(&node, &entry.name, &entry.saved)) return std::nullopt;
    return entry;
  }

  static std::string name_of(Node& node) {
    const auto entry = describe_entry(node);
    return entry ? entry->name : clean_name(node);
  }

  static bool is_users(const Node& node) {
    Dl_info info{};
    // The type's name lies in the library that defined the node's class.
    return dladdr(typeid(node).name(), &info) != 0 && info.dli_fname != nullptr &&
           is_loaded_library(info.dli_fname);
  }

  static const torch::autograd::InputMetadata* metadata_of(const Edge& edge) {
    if (!edge.function || edge.input_nr >= edge.function->num_inputs()) return nullptr;
    return &edge.function->input_metadata(edge.input_nr);
  }

  // Gradients arrive at a node from several places under one input number.
  void order() {
    std::map<Node*, std::vector<std::pair<uint32_t, std::string>>> arriving;
    for (const auto& [name, edge] : inputs_)
      arriving[edge.function.get()].emplace_back(edge.input_nr, name);
    // Depth-first, finished last: reversed, every node stands before those it passes gradients to.
    int64_t next_value = 0;
    for (auto it = finished_.rbegin(); it != finished_.rend(); ++it) {
      Step step;
      step.node = *it;
      step.name = name_of(**it);
      auto& inputs = arriving[step.node.get()];
      std::stable_sort(inputs.begin(), inputs.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [number, name] : inputs)
        step.inputs.push_back(name);
      for (const auto& edge : step.node->next_edges()) {
        if (!edge.is_valid()) continue;
        const auto name = "g" + std::to_string(next_value++);
        step.outputs.emplace_back(name, edge);
        arriving[edge.function.get()].emplace_back(edge.input_nr, name);
      }
      if (is_leaf(*step.node)) {
        const auto variable = variable_of(*step.node);
        step.outputs.emplace_back(
            (variable.empty() ? "leaf" + std::to_string(next_value++) : variable) + ".grad",
            Edge());
      }
      read_saved(step);
      steps_.push_back(std::move(step));
    }
  }

  static const at::Tensor& leaf_tensor(const Node& node) {
    return dynamic_cast<const torch::autograd::AccumulateGrad&>(node).variable;
  }
  std::string variable_of(const Node& node) const { return input_name(leaf_tensor(node)); }

  static std::string type_of(const Step& step, const Edge& edge) {
    if (is_leaf(*step.node)) {
      const auto& variable = leaf_tensor(*step.node);
      return type_text(variable.scalar_type(), variable.sizes());
    }
    const auto* metadata = metadata_of(edge);
    if (metadata == nullptr || metadata->is_nested_tensor()) return "Tensor";
    return type_text(metadata->options().dtype().toScalarType(), sizes_of(*metadata));
  }

  static std::vector<int64_t> sizes_of(const torch::autograd::InputMetadata& metadata) {
    std::vector<int64_t> sizes;
    for (const auto& size : metadata.shape_as_dim_vector())
      sizes.push_back(size.guard_int(__FILE__, __LINE__));
    return sizes;
  }

  void write_tensor(JsonText& json, c10::ScalarType dtype, at::IntArrayRef sizes,
                    c10::Device device) const {
    json.key("tensor").open('{');
    if (dtype_from_name(dtype_name(dtype))) json.key("dtype").text(dtype_name(dtype));
    json.key("shape").open('[');
    for (const int64_t size : sizes)
      json.integer(size);
    json.close(']').key("device").text(device.str()).close('}');
  }

  void write_value(JsonText& json, const Step* step, const Value& value) const {
    json.open('{').key("name").text(value.first);
    if (step != nullptr && is_leaf(*step->node)) {
      const auto& variable = leaf_tensor(*step->node);
      json.key("type").text(type_of(*step, value.second));
      write_tensor(json, variable.scalar_type(), variable.sizes(), variable.device());
    } else if (const auto* metadata = metadata_of(value.second);
               metadata != nullptr && !metadata->is_nested_tensor()) {
      const auto dtype = metadata->options().dtype().toScalarType();
      const auto sizes = sizes_of(*metadata);
      json.key("type").text(type_text(dtype, sizes));
      write_tensor(json, dtype, sizes, metadata->options().device());
    } else {
      json.key("type").text("Tensor");
    }
    json.close('}');
  }

  void write_step(JsonText& json, const Step& step, int64_t id) const {
    json.open('{').key("id").integer(id).key("kind").text(step.name);
    json.key("inputs").open('[');
    for (const auto& name : step.inputs)
      json.text(name);
    json.close(']').key("outputs").open('[');
    for (const auto& value : step.outputs)
      write_value(json, &step, value);
    json.close(']').key("attributes").open('{');
    if (is_leaf(*step.node)) {
      json.key("variable").text(variable_of(*step.node));
    } else if (!step.saved_unknown.empty()) {
      json.key("saved").text("unknown: " + step.saved_unknown);
    } else {
      int64_t bytes = 0;
      json.key("saved").open('[');
      for (const auto& saved : step.saved) {
        json.text(saved.text);
        bytes += saved.bytes;
      }
      json.close(']').key("saved_bytes").integer(bytes);
    }
    json.close('}');
    if (is_users(*step.node)) json.key("custom").boolean(true);
    json.key("lines").open('[').integer(id + 1).integer(id + 1).close(']').close('}');
  }

  // PyTorch prints no autograd graph: this is written as it prints the others, a line a node.
  std::string write_lines() const {
    std::ostringstream text;
    text << "graph(";
    for (size_t i = 0; i < inputs_.size(); ++i) {
      text << (i > 0 ? ", " : "") << "%" << inputs_[i].first;
    }
    text << "):\n";
    for (const auto& step : steps_) {
      text << "  ";
      for (size_t i = 0; i < step.outputs.size(); ++i) {
        const auto& [name, edge] = step.outputs[i];
        text << (i > 0 ? ", %" : "%") << name << " : " << type_of(step, edge);
      }
      text << (step.outputs.empty() ? "" : " = ") << step.name << "(";
      for (size_t i = 0; i < step.inputs.size(); ++i)
        text << (i > 0 ? ", %" : "%") << step.inputs[i];
      text << ")";
      for (size_t i = 0; i < step.saved.size(); ++i)
        text << (i > 0 ? ", " : " # saves ") << step.saved[i].text;
      text << "\n";
    }
    text << "  return (";
    const auto leaves = leaf_values();
    for (size_t i = 0; i < leaves.size(); ++i)
      text << (i > 0 ? ", %" : "%") << leaves[i];
    text << ")\n";
    return text.str();
  }

  std::vector<std::string> leaf_values() const {
    std::vector<std::string> names;
    for (const auto& step : steps_) {
      if (is_leaf(*step.node)) names.push_back(step.outputs.back().first);
    }
    return names;
  }

  GraphText write_text(const std::string& name) const {
    JsonText json;
    json.open('{').key("name").text(name).key("form").text(enum_text(GraphForm::autograd));
    json.key("inputs").open('[');
    for (const auto& value : inputs_)
      write_value(json, nullptr, value);
    json.close(']').key("outputs").open('[');
    for (const auto& leaf : leaf_values())
      json.text(leaf);
    json.close(']').key("nodes").open('[');
    for (size_t i = 0; i < steps_.size(); ++i)
      write_step(json, steps_[i], static_cast<int64_t>(i));
    json.close(']').close('}');
    return {json.take(), write_lines()};
  }

  const std::vector<std::pair<std::string, at::Tensor>>& named_;
  std::vector<Value> inputs_;
  std::set<Node*> seen_;
  std::vector<NodePointer> finished_;
  std::vector<Step> steps_;
};

}  // namespace

AutogradGraph describe_autograd(const std::string& name,
                                const std::vector<std::pair<std::string, at::Tensor>>& named,
                                const std::vector<c10::IValue>& outputs) {
  Walker walker(named);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].isTensor() && outputs[i].toTensor().defined() &&
        outputs[i].toTensor().requires_grad()) {
      walker.add_output(i, outputs[i].toTensor());
    }
  }
  return walker.write(name);
}

}  // namespace opsmith
