#include "runtime/graph/trace.h"

#include <ATen/Context.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <utility>

#include "runtime/comparison.h"
#include "runtime/failure.h"
#include "runtime/graph/depth.h"
#include "runtime/graph/tracer.h"
#include "runtime/program/program.h"
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

// Lists of numbers number by number.
Stack with_single_numbers(const Stack& values) {
  Stack single;
  for (const auto& value : values) {
    if (!value.isIntList()) {
      single.push_back(value);
      continue;
    }
    for (const int64_t number : value.toIntVector())
      single.emplace_back(number);
  }
  return single;
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
  jit::tracer::setRecordSourceLocation(TracingRunner::record_place);
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
    auto results = TracingRunner(*script).run(stack);
    note_depth(*jit::tracer::getTracingState()->graph);
    return results;
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
  auto expected = with_single_numbers(flatten(eager));
  Stack actual;
  // A trace that cannot run on other inputs is what the check is for: an outcome.
  try {
    at::manual_seed(0);
    actual = flatten(call_traced(trace, clones_of(arguments), self));
  } catch (...) {
    const auto failure = describe_current_exception();
    check.message = "the trace throws: " + failure.message.substr(0, failure.message.find('\n'));
    return check;
  }
  // Sizes that the function hands out are numbers there and tensors in the trace.
  for (size_t i = 0; i < actual.size() && i < expected.size(); ++i) {
    const bool is_number = expected[i].isScalar() || expected[i].isBool();
    if (!is_number || !actual[i].isTensor()) continue;
    expected[i] = at::scalar_tensor(expected[i].toScalar(), actual[i].toTensor().options());
  }
  if (actual.size() != expected.size()) {
    check.message = "the trace has " + std::to_string(actual.size()) +
                    " output(s), but the function has " + std::to_string(expected.size());
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
