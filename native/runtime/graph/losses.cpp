// What a trace loses, found in the script graph: a value is followed from the tensor it was read
// from to where it decides something.
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <set>
#include <unordered_map>

#include "runtime/graph/sizes.h"
#include "runtime/graph/trace.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;

bool is_of_tensors(const c10::TypePtr& type) {
  if (type->isSubtypeOf(*c10::TensorType::get())) return true;
  for (const auto& part : type->containedTypes()) {
    if (is_of_tensors(part)) return true;
  }
  return false;
}

enum class Read { elements, shape, layout };

// What an operator reads of a tensor.
Read read_by(const jit::Node& node) {
  static const std::set<std::string> shape = {"aten::size",        "aten::dim",      "aten::len",
                                              "aten::numel",       "aten::sym_size", "prim::shape",
                                              "aten::__contains__"};
  static const std::set<std::string> layout = {"aten::stride", "aten::is_contiguous",
                                               "aten::storage_offset"};
  const std::string name = node.kind().toQualString();
  if (shape.count(name) != 0) return Read::shape;
  return layout.count(name) != 0 ? Read::layout : Read::elements;
}

const char* name_of(Read what) {
  switch (what) {
    case Read::shape:
      return "the shape";
    case Read::layout:
      return "the strides or the storage offset";
    case Read::elements:
      return "the values";
  }
  return "";
}

// Why a trace that has the number as a constant is right only for some inputs.
const char* limit_of(Read what) {
  switch (what) {
    case Read::shape:
      return "This size becomes a constant in the trace: the trace is right only for inputs of the "
             "same shapes.";
    case Read::layout:
      return "What the function reads of the layout of a tensor becomes a constant in the trace: "
             "the trace is right only for inputs with the same strides and storage offsets.";
    case Read::elements:
      return "The function reads this number from a tensor, but the number becomes a constant in "
             "the trace: the trace is right only for inputs that give the same number.";
  }
  return "";
}

bool is_kept_size(const jit::Node& node) {
  return node.kind() == c10::aten::size || is_numel(node);
}

// dtype, device and the like: a trace is made for one of them anyway, and nobody is surprised.
bool reads_kind_only(const jit::Node& node) {
  static const std::set<std::string> names = {"prim::dtype",         "prim::device",
                                              "prim::layout",        "prim::is_cuda",
                                              "prim::requires_grad", "prim::is_sparse",
                                              "prim::is_quantized",  "aten::is_floating_point",
                                              "aten::is_complex",    "aten::__is__",
                                              "aten::__isnot__",     "prim::isinstance",
                                              "aten::get_device",    "prim::is_meta",
                                              "prim::is_xpu",        "prim::grad",
                                              "prim::data",          "prim::unchecked_cast",
                                              "prim::type"};
  return names.count(node.kind().toQualString()) != 0;
}

// Writes the number into the list that it takes first; only what is appended stays a value.
bool writes_to_list(const jit::Node& node) {
  static const std::set<std::string> names = {"aten::append", "aten::insert", "aten::extend",
                                              "aten::_set_item"};
  return names.count(node.kind().toQualString()) != 0;
}

// Whether an operator on tensors takes a size as a value of the trace; where it wants a float or a
// bool, the tracer leaves a constant.
bool takes_size(const jit::Node& node, size_t place) {
  const auto* op = node.maybeOperator();
  if (op == nullptr || !op->isC10Op()) return false;
  const auto& arguments = op->schema().arguments();
  if (place >= arguments.size()) return false;
  const auto optional = arguments[place].type()->cast<c10::OptionalType>();
  const auto kind = (optional ? optional->getElementType() : arguments[place].type())->kind();
  return kind != c10::TypeKind::FloatType && kind != c10::TypeKind::BoolType;
}

bool chooses(const jit::Node& node) {
  return node.kind() == c10::prim::max || node.kind() == c10::prim::min;
}

struct Reading {
  const jit::Node* node = nullptr;  // that read it
  Read what = Read::elements;
  bool is_kept = false;  // a size that the trace holds as a value
};

class LossFinder {
 public:
  std::vector<GraphWarning> find(jit::Graph& graph) {
    walk(*graph.block());
    for (const auto* output : graph.outputs())
      note_baked(*output);
    return std::move(warnings_);
  }

 private:
  const Reading* reading_of(const jit::Value& value) const {
    const auto found = readings_.find(&value);
    return found == readings_.end() ? nullptr : &found->second;
  }

  void warn(GraphWarningKind kind, std::string message, const jit::Node& node) {
    // A function that is called often is inlined often, and warned of once.
    const auto place = place_of(node.sourceRange());
    const auto key = place ? place->file + ":" + std::to_string(place->line) + ":" +
                                 std::to_string(place->column)
                           : std::to_string(warned_.size());
    if (warned_.insert(enum_text(kind) + (" " + key)).second) {
      warnings_.push_back({kind, std::move(message), place});
    }
  }

  void note_baked(const jit::Value& value) {
    if (const auto* reading = reading_of(value)) note_baked(*reading);
  }

  void note_baked(const Reading& reading) {
    if (reading.is_kept) return;
    warn(GraphWarningKind::value_baked, limit_of(reading.what), *reading.node);
  }

  void note_decision(const jit::Value& value, const jit::Node& node, const char* what) {
    const auto* reading = reading_of(value);
    if (reading == nullptr) return;
    warn(GraphWarningKind::control_flow_lost,
         std::string("This ") + what + " depends on " + name_of(reading->what) +
             " of a tensor, but the trace contains only the path that these inputs take. The "
             "script graph contains all paths.",
         node);
  }

  void mark_outputs(const jit::Node& node, const Reading& reading) {
    for (const auto* output : node.outputs()) {
      if (!is_of_tensors(output->type())) readings_.emplace(output, reading);
    }
  }

  void walk_if(const jit::Node& node) {
    note_decision(*node.inputs()[0], node, "branch");
    for (const auto* block : node.blocks())
      walk(*block);
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      for (const auto* block : node.blocks()) {
        // What a lost branch chose is lost with it, and was warned of.
        if (const auto* reading = reading_of(*block->outputs()[i])) {
          readings_.emplace(node.outputs()[i], *reading);
        }
      }
    }
  }

  void walk_loop(const jit::Node& node) {
    note_decision(*node.inputs()[0], node, "loop");
    note_decision(*node.inputs()[1], node, "loop");
    const auto* body = node.blocks()[0];
    for (size_t i = 2; i < node.inputs().size(); ++i) {
      if (const auto* reading = reading_of(*node.inputs()[i])) {
        readings_.emplace(body->inputs()[i - 1], *reading);
      }
    }
    walk(*body);
    note_decision(*body->outputs()[0], node, "loop");
    for (size_t i = 1; i < body->outputs().size(); ++i) {
      if (const auto* reading = reading_of(*body->outputs()[i])) {
        readings_.emplace(node.outputs()[i - 1], *reading);
      }
    }
  }

  void walk_node(const jit::Node& node) {
    if (node.kind() == c10::prim::If) return walk_if(node);
    if (node.kind() == c10::prim::Loop) return walk_loop(node);
    if (node.kind() == c10::prim::Constant || reads_kind_only(node)) return;
    // Lists and tuples are built of tensors and taken apart again without a look at either.
    const bool is_packing = node.kind().is_prim();
    bool makes_tensors = false;
    for (const auto* output : node.outputs())
      makes_tensors = makes_tensors || is_of_tensors(output->type());
    for (size_t place = 0; place < node.inputs().size(); ++place) {
      const auto* input = node.inputs()[place];
      if (const auto* reading = reading_of(*input)) {
        if (chooses(node)) note_decision(*input, node, "choice");
        auto next = *reading;
        if (writes_to_list(node)) {
          next.is_kept = next.is_kept && node.kind() == c10::aten::append;
          auto& list = readings_.emplace(node.inputs()[0], next).first->second;
          list.is_kept = list.is_kept && next.is_kept;
          continue;
        }
        next.is_kept = next.is_kept &&
                       (makes_tensors && !is_packing ? takes_size(node, place) : keeps_sizes(node));
        if (makes_tensors || node.outputs().empty()) {
          note_baked(next);
        } else {
          mark_outputs(node, next);
        }
      } else if (!is_packing && !makes_tensors && is_of_tensors(input->type()) &&
                 input->type()->kind() != c10::TypeKind::ClassType) {
        mark_outputs(node, {&node, read_by(node), is_kept_size(node)});
      }
    }
  }

  void walk(const jit::Block& block) {
    for (const auto* node : block.nodes())
      walk_node(*node);
  }

  std::unordered_map<const jit::Value*, Reading> readings_;
  std::set<std::string> warned_;
  std::vector<GraphWarning> warnings_;
};

}  // namespace

std::vector<GraphWarning> find_losses(const jit::Function& function) {
  auto& callee = const_cast<jit::Function&>(function);
  const auto graph = jit::toGraphFunction(callee).graph()->copy();
  jit::Inline(*graph);
  return LossFinder().find(*graph);
}

}  // namespace opsmith
