#include "runtime/graph_trace.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <cmath>

#include "runtime/comparison.h"
#include "runtime/failure.h"
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

// "conv" of "conv(Conv2d)::forward"; "" of a function, which belongs to no module.
std::string module_name(const std::string& frame) {
  const auto type = frame.find('(');
  return type == std::string::npos ? "" : frame.substr(0, type);
}

// Where in the program the recorded operator was called, through every function on the way. The
// interpreter's stack of places begins with the innermost function, its stack of modules with the
// traced one.
void record_place(jit::Node* node) {
  const auto places = jit::currentCallstack();
  if (places.empty()) return;
  node->setSourceRange(places.front().range);
  const auto frames = jit::currentModuleHierarchy();
  jit::InlinedCallStackPtr inner;
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    const size_t depth = places.size() - 1 - i;
    auto name = depth < frames.size() ? module_name(frames[depth]) : std::string();
    if (name.empty()) name = places[i].filename.substr(places[i].filename.rfind('.') + 1);
    const auto& call = places[i + 1].range;
    inner =
        inner ? c10::make_intrusive<jit::InlinedCallStack>(inner, nullptr, call, std::nullopt, name)
              : c10::make_intrusive<jit::InlinedCallStack>(nullptr, call, std::nullopt, name);
  }
  if (inner) node->setCallStack(inner);
}

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
  const auto call = [&](Stack inputs) {
    auto stack = arguments;
    for (size_t i = 0; i < inputs.size(); ++i)
      stack[trace.traced[i]] = std::move(inputs[i]);
    callable.call(stack);
    return stack;
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
