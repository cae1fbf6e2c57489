#include "runtime/graph/tracer.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/sub.h>
#include <ATen/TracerMode.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "runtime/graph/subscripts.h"

namespace opsmith {
namespace {

namespace aten = c10::aten;
namespace jit = torch::jit;
using c10::IValue;
using Stack = std::vector<IValue>;

// The node of the script graph whose call is being recorded; only the call thread traces.
const jit::Node* node_being_run = nullptr;

// Whether it comes from libtorch's own script, in which operators on a number and a tensor are
// written (torch/csrc/jit/frontend/builtin_functions.cpp): a program's graph has them inlined.
bool is_builtin(const jit::Node& node) {
  const auto range = node.sourceRange();
  const auto& source = range.source();
  return source && source->filename() == "<string>";
}

// The one step of two of a built-in operator that takes what this one gives; else null.
const jit::Node* second_step(const jit::Node& first, c10::Symbol kind) {
  const auto& uses = first.output()->uses();
  if (uses.size() != 1 || uses[0].offset != 0 || !is_builtin(first)) return nullptr;
  const auto* user = uses[0].user;
  return user->kind() == kind && user->sourceRange().source() == first.sourceRange().source()
             ? user
             : nullptr;
}

// Where a slice leaves out an end, Python's indexing puts the first or the last there is.
void fill_ends(Stack& stack) {
  if (stack[2].isNone()) stack[2] = static_cast<int64_t>(0);
  if (stack[3].isNone()) stack[3] = std::numeric_limits<int64_t>::max();
}

// Python's bindings spell out what a script leaves to the default: that a new tensor is not pinned,
// and its device, unless there is a tensor to take that from.
void fill_options(const c10::FunctionSchema& schema, Stack& stack) {
  const auto device = schema.argumentIndexWithName("device");
  const auto pinned = schema.argumentIndexWithName("pin_memory");
  if (!device || !pinned) return;
  auto& device_value = stack[static_cast<size_t>(*device)];
  auto& pinned_value = stack[static_cast<size_t>(*pinned)];
  if (device_value.isNone() && !stack[0].isTensor()) device_value = c10::Device(c10::kCPU);
  if (pinned_value.isNone()) pinned_value = false;
}

c10::TypePtr without_optional(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

// Whether `other` takes what `schema` takes, but tensors in the places named.
bool takes_tensors_at(const c10::FunctionSchema& other, const c10::FunctionSchema& schema,
                      const std::set<size_t>& places, const Stack& stack) {
  const auto& theirs = other.arguments();
  const auto& ours = schema.arguments();
  if (theirs.size() != ours.size()) return false;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (theirs[i].name() != ours[i].name()) return false;
    if (places.count(i) > 0) {
      if (without_optional(theirs[i].type())->kind() != c10::TypeKind::TensorType) return false;
    } else if (*theirs[i].type() != *ours[i].type()) {
      const bool is_left_out =
          stack[i].isNone() && theirs[i].type()->kind() == c10::TypeKind::OptionalType;
      if (!is_left_out) return false;
    }
  }
  return true;
}

}  // namespace

Stack TracingRunner::run(const Stack& arguments) {
  struct Reset {
    ~Reset() { node_being_run = nullptr; }
  } reset;
  auto results = run_graph(arguments);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = sizes_.as_tensors(graph().outputs()[i], results[i]);
  return results;
}

void TracingRunner::record_place(jit::Node* recorded) {
  if (node_being_run == nullptr) return;
  recorded->setSourceRange(node_being_run->sourceRange());
  if (const auto stack = node_being_run->callstack()) recorded->setCallStack(*stack);
}

void TracingRunner::run_node(jit::Node& node, size_t id) {
  const auto* outer = std::exchange(node_being_run, &node);
  GraphRunner::run_node(node, id);
  node_being_run = outer;
}

void TracingRunner::bind(at::ArrayRef<jit::Value*> names, at::ArrayRef<jit::Value*> from,
                         const Stack& values) {
  GraphRunner::bind(names, from, values);
  sizes_.rename(names, from);
}

void TracingRunner::call(jit::Node& node, size_t id, Stack& stack) {
  sizes_.forget(node);
  if (sizes_.run(node, stack) || make_tensor(node, id, stack)) return;
  if (node.kind() == aten::copy_ && is_assignment(node)) {
    assign(stack[0].toTensor(), stack[1].toTensor());
    stack.resize(1);
    return;
  }
  if (subtract_from_number(node, stack) || compute_size_first(node, stack)) return;
  if (!compute_with_number(node, stack) && !compute_with_size(node, stack)) {
    call_operator(node, id, stack);
  }
  write_back(node, stack.empty() ? IValue() : stack[0]);
}

void TracingRunner::call_operator(jit::Node& node, size_t id, Stack& stack) {
  if (const auto* op = node.maybeOperator(); op != nullptr && op->isC10Op()) {
    sizes_.stash(node, stack);
    count_from_front(node, stack);
    if (node.kind() == aten::slice && stack[0].isTensor()) fill_ends(stack);
    fill_options(op->schema(), stack);
  }
  GraphRunner::call(node, id, stack);
}

// After z[:, 1] += 2 Python assigns to the subscript what the operator gave.
void TracingRunner::write_back(const jit::Node& node, const IValue& written) {
  const auto views = views_assigned_to(node);
  if (views.empty() || !written.isTensor()) return;
  auto target = value(views.front()->inputs()[0]);
  for (const auto* view : views) {
    Stack stack{target};
    for (const auto* input : view->inputs().slice(1))
      stack.push_back(value(input));
    const size_t id = id_of(*view);
    call_operator(*nodes()[id], id, stack);
    target = stack[0];
  }
  assign(target.toTensor(), written.toTensor());
}

// torch.tensor and torch.as_tensor of numbers fill an empty tensor where no tracer looks. As in
// Python the tensor is a constant of the trace, then moved to where it is wanted and detached; a
// number that is assigned is a constant and no more.
bool TracingRunner::make_tensor(jit::Node& node, size_t id, Stack& stack) {
  static const auto tensor = c10::Symbol::fromQualString("aten::tensor");
  static const auto as_tensor = c10::Symbol::fromQualString("aten::as_tensor");
  if ((node.kind() != tensor && node.kind() != as_tensor) || stack[0].isTensor()) return false;
  const bool is_assigned = is_assigned_number(node);
  if (const auto* size = is_assigned ? sizes_.of(node.inputs()[0]) : nullptr) {
    stack = {*size};
    return true;
  }
  {
    const at::tracer::impl::NoTracerDispatchMode unrecorded;
    GraphRunner::call(node, id, stack);
  }
  if (is_assigned) return true;
  const auto made = stack[0].toTensor();
  auto moved = made.to(made.device(), made.scalar_type());
  if (node.kind() == tensor) moved = moved.detach().set_requires_grad(made.requires_grad());
  stack = {moved};
  return true;
}

// Arithmetic of a tensor and a number: Python's bindings make the number a tensor first, so that it
// is a constant tensor of the trace; a script takes the overload for numbers.
bool TracingRunner::compute_with_number(const jit::Node& node, Stack& stack) {
  static const std::set<std::string> names = {
      "add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide"};
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
  const auto* size = sizes_.of(node.inputs()[1]);
  stack[1] = size == nullptr ? number_tensor(stack[1].toScalar()) : *size;
  found->callBoxed(&stack);
  return true;
}

// A size is a tensor to Python, which therefore takes the overload for tensors where there is one.
bool TracingRunner::compute_with_size(const jit::Node& node, Stack& stack) {
  const auto* op = node.maybeOperator();
  if (op == nullptr || !op->isC10Op()) return false;
  const auto& schema = op->schema();
  std::set<size_t> places;
  for (size_t i = 0; i < node.inputs().size() && i < schema.arguments().size(); ++i) {
    const auto type = without_optional(schema.arguments()[i].type());
    if (type->kind() == c10::TypeKind::NumberType && sizes_.of(node.inputs()[i]) != nullptr) {
      places.insert(i);
    }
  }
  if (places.empty()) return false;
  for (const auto& other : jit::getAllOperatorsFor(node.kind())) {
    if (!other->isC10Op() || !takes_tensors_at(other->schema(), schema, places, stack)) continue;
    for (const size_t place : places)
      stack[place] = *sizes_.of(node.inputs()[place]);
    fill_options(other->schema(), stack);
    auto operation = other->getOperation();
    operation(stack);
    return true;
  }
  return false;
}

// A number less a tensor: a script negates and adds, while Python records rsub.
bool TracingRunner::subtract_from_number(const jit::Node& node, Stack& stack) {
  // The tensor itself is passed on.
  if (node.kind() == aten::neg) return second_step(node, aten::add) != nullptr;
  if (node.kind() != aten::add || node.inputs().size() < 2) return false;
  const auto* negation = node.inputs()[0]->node();
  if (negation->kind() != aten::neg || second_step(*negation, aten::add) != &node) return false;
  if (const auto* size = sizes_.of(node.inputs()[1])) {
    stack = {at::sub(*size, stack[0].toTensor(), stack[2].toScalar())};
    return true;
  }
  c10::Dispatcher::singleton().findSchemaOrThrow("aten::rsub", "Scalar").callBoxed(&stack);
  return true;
}

// n * x, n < x and the like, of a size and a tensor: a script turns them round (x * n, x > n) and
// divides by inverting; to Python both are tensors.
bool TracingRunner::compute_size_first(const jit::Node& node, Stack& stack) {
  if (!is_builtin(node)) return false;
  if (node.kind() == aten::reciprocal) {
    const auto* product = second_step(node, aten::mul);
    return product != nullptr && sizes_.of(product->inputs()[1]) != nullptr;
  }
  if (node.inputs().size() < 2 || !stack[0].isTensor()) return false;
  const auto* size = sizes_.of(node.inputs()[1]);
  if (size == nullptr) return false;
  const auto tensor = stack[0].toTensor();
  at::Tensor result;
  switch (node.kind()) {
    case aten::add:
      result = at::add(*size, tensor);
      break;
    case aten::mul: {
      const auto* inverse = node.inputs()[0]->node();
      const bool divides =
          inverse->kind() == aten::reciprocal && second_step(*inverse, aten::mul) == &node;
      result = divides ? at::div(*size, tensor) : at::mul(*size, tensor);
      break;
    }
    case aten::gt:
      result = at::lt(*size, tensor);
      break;
    case aten::ge:
      result = at::le(*size, tensor);
      break;
    case aten::lt:
      result = at::gt(*size, tensor);
      break;
    case aten::le:
      result = at::ge(*size, tensor);
      break;
    case aten::eq:
      result = at::eq(*size, tensor);
      break;
    case aten::ne:
      result = at::ne(*size, tensor);
      break;
    default:
      return false;
  }
  stack = {result};
  return true;
}

}  // namespace opsmith
