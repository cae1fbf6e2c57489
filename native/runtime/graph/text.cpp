#include "runtime/graph/text.h"

#include <torch/csrc/jit/ir/scope.h>

#include <sstream>

#include "runtime/content_hash.h"
#include "runtime/dtypes.h"
#include "runtime/elements.h"
#include "runtime/graph/origin.h"
#include "runtime/json_text.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;
using c10::TypeKind;

using Lines = std::unordered_map<const jit::Node*, std::pair<int64_t, int64_t>>;

// Prints as Graph::print does, and notes which lines every node and its blocks take.
class Printer {
 public:
  void print(const jit::Graph& graph) {
    std::vector<const jit::Node*> groups;
    out_ << "graph(";
    print_values(graph.inputs(), ",\n      ");
    out_ << "):\n";
    for (const auto* node : graph.nodes())
      print(*node, 1, groups);
    out_ << "  return (";
    print_names(graph.outputs());
    out_ << ")\n";
    for (size_t i = 0; i < groups.size(); ++i) {
      out_ << "with " << groups[i]->kind().toQualString() << "_" << i << " = ";
      print(*groups[i]->g(c10::attr::Subgraph));
    }
  }

  std::string text() const { return out_.str(); }
  Lines take_lines() { return std::move(lines_); }

 private:
  int64_t line() {
    // Only what is new is looked at: the text grows to megabytes.
    const auto all = out_.view();
    lines_so_far_ += std::count(all.begin() + static_cast<std::ptrdiff_t>(seen_), all.end(), '\n');
    seen_ = all.size();
    return lines_so_far_;
  }

  template <class Values>
  void print_values(const Values& values, const char* delimiter) {
    bool first = true;
    for (const auto* value : values) {
      if (!first) out_ << delimiter;
      first = false;
      out_ << "%" << value->debugName() << " : " << *value->type();
    }
  }

  template <class Values>
  void print_names(const Values& values) {
    bool first = true;
    for (const auto* value : values) {
      out_ << (first ? "%" : ", %") << value->debugName();
      first = false;
    }
  }

  void indent(size_t level) {
    for (size_t i = 0; i < level; ++i)
      out_ << "  ";
  }

  void print(const jit::Node& node, size_t level, std::vector<const jit::Node*>& groups) {
    const int64_t first = line();
    node.print(out_, level, &groups, /*print_source_locations=*/true, /*print_attributes=*/true,
               /*print_scopes=*/true, /*print_body=*/false);
    out_ << "\n";
    for (size_t i = 0; i < node.blocks().size(); ++i) {
      const auto* block = node.blocks()[i];
      indent(level + 1);
      out_ << "block" << i << "(";
      print_values(block->inputs(), ", ");
      out_ << "):\n";
      for (const auto* nested : block->nodes())
        print(*nested, level + 2, groups);
      indent(level + 2);
      out_ << "-> (";
      print_names(block->outputs());
      out_ << ")\n";
    }
    lines_[&node] = {first, line() - 1};
  }

  std::ostringstream out_;
  Lines lines_;
  size_t seen_ = 0;
  int64_t lines_so_far_ = 0;
};

class Writer {
 public:
  Writer(const Lines& lines, const GraphAliases* aliases) : lines_(lines), aliases_(aliases) {}

  std::string write(const std::string& name, GraphForm form, jit::Graph& graph) {
    json_.open('{');
    json_.key("name").text(name).key("form").text(enum_text(form));
    json_.key("inputs");
    write_values(graph.inputs());
    json_.key("outputs");
    write_names(graph.outputs());
    json_.key("nodes");
    write_nodes(graph.nodes());
    json_.close('}');
    return json_.take();
  }

 private:
  std::string value_name(const jit::Value& value) const { return prefix_ + value.debugName(); }

  void write_names(at::ArrayRef<jit::Value*> values) {
    json_.open('[');
    for (const auto* value : values)
      json_.text(value_name(*value));
    json_.close(']');
  }

  const std::string& type_text(const c10::TypePtr& type) {
    auto& text = types_[type.get()];
    if (text.empty()) {
      std::ostringstream out;
      out << *type;
      text = out.str();
      kept_.push_back(type);  // or another type could come to lie at its address
    }
    return text;
  }

  template <class Sizes>
  void write_sizes(const char* key, const Sizes& sizes) {
    if (!sizes.size()) return;
    json_.key(key).open('[');
    for (size_t i = 0; i < *sizes.size(); ++i) {
      const auto size = sizes[i];
      size ? json_.integer(*size) : json_.null();
    }
    json_.close(']');
  }

  void write_tensor(const c10::TensorType& type) {
    json_.key("tensor").open('{');
    if (const auto dtype = type.scalarType(); dtype && dtype_from_name(dtype_name(*dtype))) {
      json_.key("dtype").text(dtype_name(*dtype));
    }
    write_sizes("shape", type.sizes());
    write_sizes("strides", type.strides());
    if (const auto device = type.device()) json_.key("device").text(device->str());
    if (const auto grad = type.requiresGrad()) json_.key("requiresGrad").boolean(*grad);
    json_.close('}');
  }

  void write_values(at::ArrayRef<jit::Value*> values) {
    json_.open('[');
    for (const auto* value : values) {
      json_.open('{');
      json_.key("name").text(value_name(*value));
      json_.key("type").text(type_text(value->type()));
      if (const auto tensor = value->type()->cast<c10::TensorType>()) write_tensor(*tensor);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_ivalue(const c10::IValue& value) {
    std::ostringstream text;
    text << value;
    json_.text(text.str());
  }

  static bool shows_values(const at::Tensor& tensor) {
    return tensor.layout() == at::kStrided && tensor.device().is_cpu() && tensor.numel() <= 16;
  }

  // Small tensors by their values, others by what they are; write_content tells those apart.
  void write_constant_tensor(const at::Tensor& tensor) {
    if (!tensor.defined()) {
      json_.text("undefined");
      return;
    }
    std::ostringstream text;
    text << dtype_name(tensor.scalar_type()) << tensor.sizes();
    if (shows_values(tensor)) {
      text << " =";
      for (int64_t i = 0; i < tensor.numel(); ++i)
        text << " " << element_text(tensor.flatten()[i]);
    }
    json_.text(text.str());
  }

  template <class Items, class Write>
  void write_list(const Items& items, Write write_item) {
    json_.open('[');
    for (const auto& item : items)
      write_item(item);
    json_.close(']');
  }

  void write_attribute(const jit::Node& node, c10::Symbol name) {
    const auto integer = [this](int64_t value) { json_.integer(value); };
    const auto real = [this](double value) { json_.real(value); };
    const auto complex = [this](c10::complex<double> value) { write_ivalue(value); };
    const auto text = [this](const std::string& value) { json_.text(value); };
    const auto tensor = [this](const at::Tensor& value) { write_constant_tensor(value); };
    const auto type = [this](const c10::TypePtr& value) { json_.text(type_text(value)); };
    const auto ivalue = [this](const c10::IValue& value) { write_ivalue(value); };
    switch (node.kindOf(name)) {
      case jit::AttributeKind::i:
        // Constants keep a bool as 0 or 1.
        if (node.outputs().size() == 1 && node.output()->type()->kind() == TypeKind::BoolType) {
          json_.boolean(node.i(name) != 0);
        } else {
          integer(node.i(name));
        }
        break;
      case jit::AttributeKind::is:
        write_list(node.is(name), integer);
        break;
      case jit::AttributeKind::f:
        real(node.f(name));
        break;
      case jit::AttributeKind::fs:
        write_list(node.fs(name), real);
        break;
      case jit::AttributeKind::c:
        complex(node.c(name));
        break;
      case jit::AttributeKind::cs:
        write_list(node.cs(name), complex);
        break;
      case jit::AttributeKind::s:
        text(node.s(name));
        break;
      case jit::AttributeKind::ss:
        write_list(node.ss(name), text);
        break;
      case jit::AttributeKind::t:
        tensor(node.t(name));
        break;
      case jit::AttributeKind::ts:
        write_list(node.ts(name), tensor);
        break;
      case jit::AttributeKind::ty:
        type(node.ty(name));
        break;
      case jit::AttributeKind::tys:
        write_list(node.tys(name), type);
        break;
      case jit::AttributeKind::ival:
        ivalue(node.ival(name));
        break;
      case jit::AttributeKind::g:
      case jit::AttributeKind::gs:
        json_.text("graph");
        break;
    }
  }

  // A digest of constant tensors whose values are not written.
  void write_content(const jit::Node& node, c10::Symbol name) {
    std::vector<at::Tensor> hidden;
    const auto look = [&](const at::Tensor& tensor) {
      if (tensor.defined() && !shows_values(tensor)) hidden.push_back(tensor);
    };
    switch (node.kindOf(name)) {
      case jit::AttributeKind::t:
        look(node.t(name));
        break;
      case jit::AttributeKind::ts:
        for (const auto& tensor : node.ts(name))
          look(tensor);
        break;
      case jit::AttributeKind::ival:
        for (const auto& value : flatten_deeply({node.ival(name)})) {
          if (value.isTensor()) look(value.toTensor());
        }
        break;
      default:
        return;
    }
    const auto content = hidden.empty() ? std::string() : content_hash(hidden);
    if (!content.empty()) json_.key("content").text(content);
  }

  void write_attributes(jit::Node& node) {
    json_.key("attributes").open('{');
    const auto names = node.attributeNames();
    for (const auto name : names) {
      if (name == c10::attr::Subgraph) continue;  // a block
      json_.key(name.toUnqualString());
      write_attribute(node, name);
    }
    if (node.kind() == c10::prim::Constant) {
      if (names.empty()) json_.key("value").null();
      if (names.size() == 1) write_content(node, names[0]);
    }
    if (aliases_ != nullptr) {
      if (const auto found = aliases_->find(&node); found != aliases_->end()) {
        const auto text = [this](const std::string& name) { json_.text(prefix_ + name); };
        json_.key("may_alias");
        write_list(found->second.may_alias, text);
        json_.key("writes_to");
        write_list(found->second.writes_to, text);
      }
    }
    json_.close('}');
  }

  void write_origin(const jit::Node& node) {
    if (const auto* schema = node.maybeSchema()) {
      auto& text = schemas_[schema];
      if (text.empty()) {
        std::ostringstream out;
        out << *schema;
        text = out.str();
      }
      json_.key("schema").text(text);
    }
    if (is_custom(node)) json_.key("custom").boolean(true);
    if (const auto place = place_of(node.sourceRange())) {
      json_.key("source").open('{');
      json_.key("file").text(place->file);
      json_.key("line").integer(place->line).key("column").integer(place->column);
      json_.key("endLine").integer(place->end_line).key("endColumn").integer(place->end_column);
      json_.close('}');
    }
    const auto scope = scope_of(node);
    if (!scope.empty()) {
      json_.key("scope");
      write_list(scope, [this](const std::string& part) { json_.text(part); });
    }
  }

  void write_block(const std::string& label, at::ArrayRef<jit::Value*> inputs,
                   at::ArrayRef<jit::Value*> outputs, jit::graph_node_list nodes) {
    json_.open('{');
    json_.key("label").text(label);
    json_.key("inputs");
    write_values(inputs);
    json_.key("outputs");
    write_names(outputs);
    json_.key("nodes");
    write_nodes(nodes);
    json_.close('}');
  }

  static std::string block_label(const jit::Node& node, size_t index) {
    if (node.kind() == c10::prim::If) return index == 0 ? "then" : "else";
    if (node.kind() == c10::prim::Loop) return "body";
    return "block" + std::to_string(index);
  }

  void write_blocks(jit::Node& node) {
    const bool is_group = node.hasAttribute(c10::attr::Subgraph);
    if (node.blocks().empty() && !is_group) return;
    json_.key("blocks").open('[');
    for (size_t i = 0; i < node.blocks().size(); ++i) {
      auto* block = node.blocks()[i];
      write_block(block_label(node, i), block->inputs(), block->outputs(), block->nodes());
    }
    if (is_group) {
      const auto group = node.g(c10::attr::Subgraph);
      const auto outer = prefix_;
      prefix_ = outer + node.kind().toUnqualString() + "_" + std::to_string(groups_++) + "/";
      write_block("subgraph", group->inputs(), group->outputs(), group->nodes());
      prefix_ = outer;
    }
    json_.close(']');
  }

  void write_nodes(jit::graph_node_list nodes) {
    json_.open('[');
    for (auto* node : nodes) {
      json_.open('{');
      json_.key("id").integer(next_id_++);
      json_.key("kind").text(node->kind().toQualString());
      json_.key("inputs");
      write_names(node->inputs());
      json_.key("outputs");
      write_values(node->outputs());
      write_attributes(*node);
      write_origin(*node);
      write_blocks(*node);
      const auto lines = lines_.find(node);
      json_.key("lines").open('[');
      json_.integer(lines == lines_.end() ? 0 : lines->second.first);
      json_.integer(lines == lines_.end() ? 0 : lines->second.second);
      json_.close(']').close('}');
    }
    json_.close(']');
  }

  const Lines& lines_;
  const GraphAliases* aliases_;
  JsonText json_;
  std::string prefix_;
  int64_t next_id_ = 0;
  int64_t groups_ = 0;
  std::unordered_map<const c10::FunctionSchema*, std::string> schemas_;
  std::unordered_map<const c10::Type*, std::string> types_;
  std::vector<c10::TypePtr> kept_;
};

void number(jit::graph_node_list nodes, std::vector<jit::Node*>& numbered) {
  for (auto* node : nodes) {
    numbered.push_back(node);
    for (auto* block : node->blocks())
      number(block->nodes(), numbered);
    if (node->hasAttribute(c10::attr::Subgraph)) {
      number(node->g(c10::attr::Subgraph)->nodes(), numbered);
    }
  }
}

}  // namespace

std::vector<jit::Node*> numbered_nodes(jit::Graph& graph) {
  std::vector<jit::Node*> numbered;
  number(graph.nodes(), numbered);
  return numbered;
}

GraphText write_graph(const std::string& name, GraphForm form, jit::Graph& graph,
                      const GraphAliases* aliases) {
  Printer printer;
  printer.print(graph);
  const auto lines = printer.take_lines();
  return {Writer(lines, aliases).write(name, form, graph), printer.text()};
}

}  // namespace opsmith
