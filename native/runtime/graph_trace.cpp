#include "runtime/graph_trace.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/floor_divide.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sub.h>
#include <ATen/TracerMode.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "runtime/comparison.h"
#include "runtime/failure.h"
#include "runtime/graph_runner.h"
#include "runtime/program.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;
using c10::IValue;
using Stack = std::vector<IValue>;

std::vector<std::string>& collected_warnings() {
  static std::vector<std::string> warnings;  // only the call thread traces
  return warnings;
}

void collect_warning(const std::string& message) {
  collected_warnings().push_back(message);
}

// The node of the script graph whose call is being recorded; only the call thread traces.
const jit::Node* node_being_run = nullptr;

// Where in the program the recorded operator was called, and through which functions and modules.
void record_place(jit::Node* node) {
  if (node_being_run == nullptr) return;
  node->setSourceRange(node_being_run->sourceRange());
  if (const auto stack = node_being_run->callstack()) node->setCallStack(*stack);
}

// Runs a script graph under the tracer. Sizes of tensors stay what they are in Python under
// torch.jit.trace: values of the trace, not constants. For that the tracer wants a size to be a
// tensor of its own; an operator that takes it as a number finds it by the name of its argument in
// a stash (torch/csrc/jit/frontend/tracer.h, ArgumentStash).
class TracingRunner : public GraphRunner {
 public:
  using GraphRunner::GraphRunner;

  Stack run(const Stack& arguments) {
    struct Reset {
      ~Reset() { node_being_run = nullptr; }
    } reset;
    return run_graph(arguments);
  }

 private:
  void run_node(jit::Node& node, size_t id) override {
    const auto* outer = std::exchange(node_being_run, &node);
    GraphRunner::run_node(node, id);
    node_being_run = outer;
  }

  void call(jit::Node& node, size_t id, Stack& stack) override {
    // In a loop, what is a plain number now may have been a size in the turn before.
    for (const auto* output : node.outputs()) {
      sizes_.erase(output);
      lists_.erase(output);
    }
    if (read_size(node, stack) || compute_size(node, stack)) return;
    if (make_tensor(node, id, stack)) return;
    if (subtract_from_number(node, stack) || compute_with_number(node, stack)) return;
    if (node.kind() == c10::prim::ListConstruct) {
      keep_list(node);
    } else if (node.kind() == c10::aten::append) {
      append_size(node, stack);
    } else if (const auto* op = node.maybeOperator(); op != nullptr && op->isC10Op()) {
      stash_sizes(node, stack);
      if (node.kind() == c10::aten::slice && stack[0].isTensor()) fill_ends(stack);
      fill_options(op->schema(), stack);
    }
    GraphRunner::call(node, id, stack);
  }

  void bind(at::ArrayRef<jit::Value*> names, at::ArrayRef<jit::Value*> from,
            const Stack& values) override {
    GraphRunner::bind(names, from, values);
    pass_on(sizes_, names, from);
    pass_on(lists_, names, from);
  }

  // All are read before any is written: a loop may swap what it carries.
  template <class Known>
  static void pass_on(Known& known, at::ArrayRef<jit::Value*> names,
                      at::ArrayRef<jit::Value*> from) {
    std::vector<std::optional<typename Known::mapped_type>> passed;
    for (const auto* name : from) {
      const auto found = known.find(name);
      passed.push_back(found == known.end() ? std::nullopt : std::make_optional(found->second));
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (passed[i]) {
        known[names[i]] = std::move(*passed[i]);
      } else {
        known.erase(names[i]);
      }
    }
  }

  const at::Tensor* size_of(const jit::Value* name) const {
    const auto found = sizes_.find(name);
    return found == sizes_.end() ? nullptr : &found->second;
  }

  // aten::size, of one dimension or all, and aten::numel.
  bool read_size(const jit::Node& node, Stack& stack) {
    const bool is_numel = node.kind() == c10::aten::numel;
    if ((node.kind() != c10::aten::size && !is_numel) || !stack[0].isTensor()) return false;
    const auto tensor = stack[0].toTensor();
    if (is_numel) {
      sizes_[node.output()] = jit::tracer::getNumelOf(tensor);
      stack = {tensor.numel()};
    } else if (stack.size() == 2) {
      const auto dimension = stack[1].toInt();
      sizes_[node.output()] = jit::tracer::getSizeOf(tensor, dimension);
      stack = {tensor.size(dimension)};
    } else {
      auto& all = lists_[node.output()];
      all.clear();
      for (int64_t i = 0; i < tensor.dim(); ++i)
        all.push_back(jit::tracer::getSizeOf(tensor, i));
      stack = {tensor.sizes()};
    }
    return true;
  }

  // Arithmetic of sizes, and sizes taken out of lists. False where none takes part.
  bool compute_size(const jit::Node& node, Stack& stack) {
    if (node.kind() == c10::aten::__getitem__ || node.kind() == c10::prim::ListUnpack) {
      return take_from_list(node, stack);
    }
    const bool is_binary = stack.size() == 2 && stack[0].isInt() && stack[1].isInt() &&
                           node.outputs().size() == 1 &&
                           node.output()->type()->kind() == c10::TypeKind::IntType;
    if (!is_binary) return false;
    const auto* left = size_of(node.inputs()[0]);
    const auto* right = size_of(node.inputs()[1]);
    if (left == nullptr && right == nullptr) return false;
    const auto operand = [](const at::Tensor* size, const IValue& number) {
      return size == nullptr ? number_tensor(number.toInt()) : *size;
    };
    const auto a = operand(left, stack[0]);
    const auto b = operand(right, stack[1]);
    at::Tensor result;
    switch (node.kind()) {
      case c10::aten::add:
        result = at::add(a, b);
        break;
      case c10::aten::sub:
        result = at::sub(a, b);
        break;
      case c10::aten::mul:
        result = at::mul(a, b);
        break;
      case c10::aten::floordiv:
        result = at::floor_divide(a, b);
        break;
      case c10::aten::remainder:
        result = at::remainder(a, b);
        break;
      default:
        return false;
    }
    sizes_[node.output()] = result;
    stack = {number_of(result)};
    return true;
  }

  // A size of which only the number counts.
  static int64_t number_of(const at::Tensor& size) {
    const at::tracer::impl::NoTracerDispatchMode unrecorded;
    return size.item<int64_t>();
  }

  // The sizes among a list's numbers, undefined tensors between them. The list may have been
  // written to since they were noted: a size counts that still stands where it stood.
  std::vector<at::Tensor> sizes_in(const jit::Value* name, const IValue& list) const {
    const auto found = lists_.find(name);
    if (found == lists_.end() || !list.isIntList()) return {};
    const auto numbers = list.toIntVector();
    auto sizes = found->second;
    sizes.resize(numbers.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i].defined() && number_of(sizes[i]) != numbers[i]) sizes[i] = at::Tensor();
    }
    return sizes;
  }

  bool take_from_list(const jit::Node& node, Stack& stack) {
    const auto list = sizes_in(node.inputs()[0], stack[0]);
    const auto size = static_cast<int64_t>(list.size());
    if (node.kind() == c10::aten::__getitem__) {
      auto index = stack[1].isInt() ? stack[1].toInt() : size;
      if (index < 0) index += size;
      if (index >= 0 && index < size && list[static_cast<size_t>(index)].defined()) {
        sizes_[node.output()] = list[static_cast<size_t>(index)];
      }
    } else {
      for (size_t i = 0; i < node.outputs().size() && i < list.size(); ++i) {
        if (list[i].defined()) sizes_[node.outputs()[i]] = list[i];
      }
    }
    return false;  // the numbers themselves come as ever
  }

  void keep_list(const jit::Node& node) {
    std::vector<at::Tensor> list;
    bool has_size = false;
    for (const auto* input : node.inputs()) {
      const auto* size = size_of(input);
      list.push_back(size == nullptr ? at::Tensor() : *size);
      has_size = has_size || size != nullptr;
    }
    if (has_size) lists_[node.output()] = std::move(list);
  }

  // Before the number itself is appended.
  void append_size(const jit::Node& node, const Stack& stack) {
    const auto* size = size_of(node.inputs()[1]);
    if (size == nullptr || !stack[0].isIntList()) return;
    auto list = sizes_in(node.inputs()[0], stack[0]);
    list.resize(stack[0].toIntVector().size());
    list.push_back(*size);
    lists_[node.inputs()[0]] = std::move(list);
  }

  void stash_sizes(const jit::Node& node, const Stack& stack) {
    const auto& arguments = node.schema().arguments();
    for (size_t i = 0; i < arguments.size() && i < node.inputs().size(); ++i) {
      const auto& name = arguments[i].name();
      if (const auto* size = size_of(node.inputs()[i])) {
        const auto optional = arguments[i].type()->cast<c10::OptionalType>();
        const auto type = optional ? optional->getElementType() : arguments[i].type();
        const bool takes_number = type->kind() == c10::TypeKind::NumberType;
        jit::tracer::ArgumentStash::stashValue(name, 1, *size,
                                               takes_number ? c10::TypePtr(c10::NumberType::get())
                                                            : c10::TypePtr(c10::IntType::get()));
        continue;
      }
      const auto list = sizes_in(node.inputs()[i], stack[i]);
      for (size_t element = 0; element < list.size(); ++element) {
        if (!list[element].defined()) continue;
        jit::tracer::ArgumentStash::stashIntArrayRefElem(name, list.size(), element, list[element]);
      }
    }
  }

  // torch.tensor and torch.as_tensor of numbers fill an empty tensor where no tracer looks. As in
  // Python the tensor is a constant of the trace, then moved to where it is wanted and detached.
  bool make_tensor(jit::Node& node, size_t id, Stack& stack) {
    static const auto tensor = c10::Symbol::fromQualString("aten::tensor");
    static const auto as_tensor = c10::Symbol::fromQualString("aten::as_tensor");
    if ((node.kind() != tensor && node.kind() != as_tensor) || stack[0].isTensor()) return false;
    {
      const at::tracer::impl::NoTracerDispatchMode unrecorded;
      GraphRunner::call(node, id, stack);
    }
    const auto made = stack[0].toTensor();
    auto moved = made.to(made.device(), made.scalar_type());
    if (node.kind() == tensor) moved = moved.detach().set_requires_grad(made.requires_grad());
    stack = {moved};
    return true;
  }

  // Arithmetic of a tensor and a number: Python's bindings make the number a tensor first, so that
  // it is a constant tensor of the trace; a script takes the overload for numbers.
  bool compute_with_number(const jit::Node& node, Stack& stack) {
    static const std::set<std::string> names = {"add",    "sub",         "subtract",
                                                "mul",    "multiply",    "div",
                                                "divide", "true_divide", "floor_divide"};
    const auto* op = node.maybeOperator();
    if (op == nullptr || stack.size() < 2 || !stack[0].isTensor() || !stack[1].isScalar()) {
      return false;
    }
    std::string name = node.kind().toUnqualString();
    if (!name.empty() && name.back() == '_') name.pop_back();
    const std::string& overload = op->schema().overload_name();
    if (names.count(name) == 0 || overload.rfind("Scalar", 0) != 0) return false;
    auto& dispatcher = c10::Dispatcher::singleton();
    auto found = dispatcher.findSchema({op->schema().name(), "Tensor" + overload.substr(6)});
    if (!found) found = dispatcher.findSchema({op->schema().name(), ""});
    if (!found) return false;
    const auto* size = size_of(node.inputs()[1]);
    stack[1] = size == nullptr ? number_tensor(stack[1].toScalar()) : *size;
    found->callBoxed(&stack);
    return true;
  }

  // A number less a tensor: a script negates and adds (its builtin functions are inlined), while
  // Python records rsub.
  bool subtract_from_number(const jit::Node& node, Stack& stack) {
    const auto negation_of = [](const jit::Node& sum) -> const jit::Node* {
      if (sum.kind() != c10::aten::add) return nullptr;
      const auto* negated = sum.inputs()[0]->node();
      const auto& source = sum.sourceRange().source();
      return negated->kind() == c10::aten::neg && negated->sourceRange().source() == source &&
                     source && source->filename() == "<string>"
                 ? negated
                 : nullptr;
    };
    if (node.kind() == c10::aten::neg) {
      const auto& uses = node.output()->uses();
      if (uses.size() != 1 || negation_of(*uses[0].user) != &node) return false;
      return true;  // the tensor itself is passed on
    }
    if (negation_of(node) == nullptr) return false;
    if (const auto* size = size_of(node.inputs()[1])) {
      stack = {at::sub(*size, stack[0].toTensor(), stack[2].toScalar())};
      return true;
    }
    c10::Dispatcher::singleton().findSchemaOrThrow("aten::rsub", "Scalar").callBoxed(&stack);
    return true;
  }

  // As Python's bindings make it: of no dimension, and without a say in the result's dtype.
  static at::Tensor number_tensor(const at::Scalar& number) {
    const at::tracer::impl::NoTracerDispatchMode unrecorded;
    auto tensor = at::scalar_tensor(number, number.type());
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
  }

  // Where a slice leaves out an end, Python's indexing puts the first or the last there is.
  static void fill_ends(Stack& stack) {
    if (stack[2].isNone()) stack[2] = static_cast<int64_t>(0);
    if (stack[3].isNone()) stack[3] = std::numeric_limits<int64_t>::max();
  }

  // Python's bindings spell out what a script leaves to the default: that a new tensor is not
  // pinned, and its device, unless there is a tensor to take that from.
  static void fill_options(const c10::FunctionSchema& schema, Stack& stack) {
    const auto device = schema.argumentIndexWithName("device");
    const auto pinned = schema.argumentIndexWithName("pin_memory");
    if (!device || !pinned) return;
    auto& device_value = stack[static_cast<size_t>(*device)];
    auto& pinned_value = stack[static_cast<size_t>(*pinned)];
    if (device_value.isNone() && !stack[0].isTensor()) device_value = c10::Device(c10::kCPU);
    if (pinned_value.isNone()) pinned_value = false;
  }

  std::unordered_map<const jit::Value*, at::Tensor> sizes_;               // of ints
  std::unordered_map<const jit::Value*, std::vector<at::Tensor>> lists_;  // of int lists
};

bool holds_tensors(const IValue& value) {
  if (value.isTensor()) return value.toTensor().defined();
  if (value.isTensorList()) return true;
  if (value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    return !elements.empty() && std::all_of(elements.begin(), elements.end(), holds_tensors);
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    return dict.valueType()->isSubtypeOf(*c10::TensorType::get()) && !dict.empty();
  }
  return false;
}

Stack call_traced(const Trace& trace, const Stack& arguments, jit::Module* self) {
  Stack stack;
  if (self != nullptr) stack.emplace_back(self->_ivalue());
  for (const size_t index : trace.traced)
    stack.push_back(arguments[index]);
  jit::GraphOptimizerEnabledGuard without_optimiser(false);
  jit::GraphFunction function("trace", trace.graph->copy(), nullptr);
  function.run(stack);
  return stack;
}

}  // namespace

Trace trace_call(const Callable& callable, const Stack& arguments, jit::Module* self) {
  Trace trace;
  Stack traced;
  std::vector<std::string> names;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!holds_tensors(arguments[i])) continue;
    trace.traced.push_back(i);
    traced.push_back(arguments[i]);
    names.push_back(callable.schema.arguments()[i].name());
  }
  jit::tracer::setRecordSourceLocation(record_place);
  jit::tracer::setWarn(collect_warning);
  collected_warnings().clear();
  std::shared_ptr<jit::Graph> script;
  if (callable.function != nullptr) {
    prepare_function(*callable.function);
    script = jit::toGraphFunction(*callable.function).graph()->copy();
    jit::Inline(*script);
  }
  const auto call = [&](Stack inputs) {
    auto stack = arguments;
    for (size_t i = 0; i < inputs.size(); ++i)
      stack[trace.traced[i]] = std::move(inputs[i]);
    if (!script) {
      callable.call(stack);
      return stack;
    }
    if (self != nullptr) stack.insert(stack.begin(), self->_ivalue());
    return TracingRunner(*script).run(stack);
  };
  // The tracer of a call that throws is abandoned by trace() itself.
  trace.graph = jit::tracer::trace(
                    std::move(traced), call, [](const at::Tensor&) { return std::string(); },
                    /*strict=*/true, /*force_outplace=*/false, self, names)
                    .first->graph;
  trace.warnings = collected_warnings();
  return trace;
}

TraceCheck check_trace(const Callable& callable, const Trace& trace, const Stack& arguments,
                       jit::Module* self, const std::string& words) {
  TraceCheck check;
  check.inputs = words;
  // Either may write to its inputs, and both may draw random numbers.
  auto eager = clones_of(arguments);
  at::manual_seed(0);
  callable.call(eager);
  const auto expected = flatten(eager);
  Stack actual;
  // A trace that cannot run on other inputs is what the check is for: an outcome.
  try {
    at::manual_seed(0);
    actual = flatten(call_traced(trace, clones_of(arguments), self));
  } catch (...) {
    const auto failure = describe_current_exception();
    check.message = "the trace stops: " + failure.message.substr(0, failure.message.find('\n'));
    return check;
  }
  if (actual.size() != expected.size()) {
    check.message = "the trace has " + std::to_string(actual.size()) + " output(s), the function " +
                    std::to_string(expected.size());
    return check;
  }
  check.matches = true;
  check.max_absolute = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto result = compare(static_cast<int64_t>(i), actual[i], expected[i], {});
    if (result.difference) release_tensors({result.difference->handle});
    if (!result.matches && check.matches) {
      check.matches = false;
      check.message =
          "output " + std::to_string(i) + ": " +
          (result.message.empty() ? std::to_string(result.mismatched) + " of " +
                                        std::to_string(result.total) + " elements differ"
                                  : result.message);
    }
    const bool has_values = result.matches || result.difference.has_value();
    if (!has_values) check.max_absolute.reset();
    if (check.max_absolute) {
      check.max_absolute = std::max(*check.max_absolute, result.max_absolute);
    }
  }
  return check;
}

}  // namespace opsmith
