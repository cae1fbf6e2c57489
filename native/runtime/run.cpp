#include "runtime/run.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <chrono>
#include <regex>
#include <set>
#include <sstream>

#include "runtime/arguments.h"
#include "runtime/callable.h"
#include "runtime/devices.h"
#include "runtime/failure.h"
#include "runtime/other_order.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

using c10::IValue;
using Stack = std::vector<IValue>;

std::set<std::string> words_of(const std::string& expression) {
  static const std::regex word("[A-Za-z_]\\w*");
  std::set<std::string> words;
  for (std::sregex_iterator it(expression.begin(), expression.end(), word), end; it != end; ++it) {
    words.insert(it->str());
  }
  return words;
}

OutputValue describe_value(const IValue& value) {
  if (value.isTensor() && value.toTensor().defined()) return store_tensor(value.toTensor());
  if (value.isTensor()) return PlainValue{"Tensor", "undefined"};
  std::ostringstream text;
  text << value;
  return PlainValue{value.type()->repr_str(), text.str()};
}

std::string first_lines(const Failure& failure) {
  std::string text = failure.message;
  size_t end = 0;
  for (int line = 0; line < 6 && end != std::string::npos; ++line)
    end = text.find('\n', end + 1);
  if (end != std::string::npos) text.resize(end);
  return failure.hint.empty() ? text : text + "\n" + failure.hint;
}

void compare_with_reference(const RunRequest& request, const std::vector<std::string>& parameters,
                            Stack clones, const Stack& outputs, RunReport& report) {
  Stack expected;
  // A reference that cannot be evaluated is an outcome of the run, not a failure of it: the one
  // place besides binding/guard that catches.
  try {
    const Stage stage(ErrorCode::program_compile);
    const auto program = request.program ? compile_program(*request.program) : nullptr;
    const auto reference = compile_reference(*request.reference, parameters, program);
    const Stage calling(ErrorCode::operator_check);
    reference->call("reference", clones);
    expected = flatten(clones);
  } catch (...) {
    report.reference_error = first_lines(describe_current_exception());
    return;
  }
  const Stage comparing(ErrorCode::operator_check, "comparison");
  if (expected.size() != outputs.size()) {
    Comparison whole;
    whole.output = -1;
    whole.message = std::to_string(outputs.size()) + " output(s), but the reference gives " +
                    std::to_string(expected.size());
    report.comparisons.push_back(whole);
    return;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    report.comparisons.push_back(
        compare(static_cast<int64_t>(i), outputs[i], expected[i], request.tolerances));
  }
}

}  // namespace

RunReport run(const RunRequest& request) {
  const Stage stage(ErrorCode::operator_unknown);
  const auto callable = find_callable(request.op, request.program);

  auto used = names_in(request.args);
  if (request.reference) used.merge(words_of(*request.reference));
  ProjectInputs project;
  auto& inputs = project.tensors;
  std::vector<std::string> names;
  for (const auto& spec : request.inputs) {
    project.names.push_back(spec.name);
    if (used.count(spec.name) == 0) continue;
    names.push_back(spec.name);
    inputs.emplace(spec.name, make_input(spec));
  }
  auto stack = make_arguments(callable.schema, request.args, &project);
  std::vector<std::string> parameters;
  Stack clones;
  if (request.reference) {
    const auto words = words_of(*request.reference);
    for (const auto& name : names) {
      if (words.count(name) != 0) parameters.push_back(name);
    }
    // The operator may write to its inputs; the reference must see what they were.
    Stack given;
    for (const auto& name : parameters)
      given.emplace_back(inputs.at(name));
    clones = clones_of(given);
  }
  const OtherOrder other_order(stack);
  wait_for_devices();

  RunReport report;
  report.op = callable.name;
  const Stage calling(ErrorCode::operator_check);
  const auto start = std::chrono::steady_clock::now();
  callable.call(stack);
  wait_for_devices();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  other_order.compare(stack, callable.call);
  const auto outputs = flatten(stack);
  const Stage describing(ErrorCode::operator_check, "describing the result");
  for (const auto& name : names)
    report.inputs.push_back({name, describe_value(inputs.at(name))});
  for (const auto& output : outputs)
    report.outputs.push_back(describe_value(output));
  if (request.reference) {
    compare_with_reference(request, parameters, std::move(clones), outputs, report);
  }
  return report;
}

}  // namespace opsmith
