#include "runtime/timing/timed_call.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd.h>

#include <regex>
#include <set>

#include "runtime/arguments.h"
#include "runtime/failure.h"
#include "runtime/program/program.h"
#include "runtime/registry.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

namespace autograd = torch::autograd;
using c10::IValue;
using Stack = std::vector<IValue>;

// Other values each, so that what an operator remembers of one set is of no use for the next.
constexpr int64_t most_sets = 4;
constexpr int64_t memory_for_sets = int64_t{1} << 29;
constexpr int64_t seed_step = 7919;

std::set<std::string> words_of(const std::string& expression) {
  static const std::regex word("[A-Za-z_]\\w*");
  std::set<std::string> words;
  for (std::sregex_iterator it(expression.begin(), expression.end(), word), end; it != end; ++it)
    words.insert(it->str());
  return words;
}

int64_t bytes_of(const Tensors& tensors) {
  int64_t bytes = 0;
  for (const auto& tensor : tensors)
    bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

Tensors tensors_of(const Stack& values) {
  Tensors found;
  for (const auto& value : flatten(values)) {
    if (value.isTensor() && value.toTensor().defined()) found.push_back(value.toTensor());
  }
  return found;
}

}  // namespace

TimedCall::TimedCall(const TimedCallRequest& request)
    : direction_(request.direction), only_forward_(request.direction == "forward") {
  enter_stage("operator.unknown");
  if (!request.expression) {
    callable_.emplace(find_callable(request.op, request.program));
    name_ = callable_->name;
    if (callable_->function == nullptr) op_ = find_operator(name_);
  } else {
    enter_stage("program.compile");
    name_ = *request.expression;
    const auto words = words_of(*request.expression);
    std::vector<std::string> parameters;
    for (const auto& input : request.inputs) {
      if (words.count(input.name) > 0) parameters.push_back(input.name);
    }
    const auto program = request.program ? compile_program(*request.program) : nullptr;
    const auto compiled = compile_reference(*request.expression, parameters, program);
    callable_.emplace(Callable{name_, *compiled->schema("reference"),
                               [compiled](Stack& stack) { compiled->call("reference", stack); },
                               compiled->function("reference"), compiled});
  }
  add_set(request, 0);
  const int64_t each = std::max<int64_t>(1, bytes_of(sets_[0].function.inputs));
  for (int64_t i = 1; i < std::min(most_sets, memory_for_sets / each); ++i)
    add_set(request, i);
  enter_stage("operator.check");
  for (size_t i = 0; i < sets_.size(); ++i) {
    use(i);
    const auto outputs = sets_[i].function.call(sets_[i].function.inputs);
    if (i == 0) bytes_ = bytes_of(sets_[i].function.inputs) + bytes_of(outputs);
    if (direction_ == "forward") continue;
    for (const auto& input : sets_[i].function.inputs) {
      if (input.requires_grad()) sets_[i].wanted.push_back(input);
    }
    const auto roots = roots_of(outputs);
    if (sets_[i].wanted.empty() || roots.empty()) {
      throw Failure("operator.check",
                    sets_[i].wanted.empty() ? name_ + ": no input requires grad"
                                            : name_ + ": no output requires grad",
                    "For timings of backward, set \"requires_grad\" on a floating input of an "
                    "operator that has a derivative.");
    }
    for (const auto& root : roots)
      sets_[i].gradients.push_back(at::ones_like(root.detach()));
    if (direction_ == "backward") sets_[i].roots = roots;
  }
  use(0);
}

void TimedCall::add_set(const TimedCallRequest& request, int64_t number) {
  ProjectInputs project;
  auto used = names_in(request.args);
  if (request.expression) used = words_of(*request.expression);
  std::vector<Literal> args = request.args;
  if (request.expression) args.clear();
  for (auto spec : request.inputs) {
    project.names.push_back(spec.name);
    if (used.count(spec.name) == 0) continue;
    if (request.expression) args.push_back({spec.name});
    spec.seed = spec.seed.value_or(spec.position) + number * seed_step;
    if (spec.layout != "strided") {
      throw Failure("input.invalid",
                    "input " + spec.name + " is " + spec.layout + ": only strided inputs are timed",
                    "Time an operator or a function of the program that makes it sparse.");
    }
    const auto tensor = make_input(spec);
    if (!tensor.is_cpu()) {
      throw Failure("device.unavailable",
                    spec.name + " is on " + tensor.device().str() + ": only the CPU is timed",
                    "Set \"device\": \"cpu\" for a timing.");
    }
    project.tensors.emplace(spec.name, tensor);
  }
  Set set;
  set.arguments = make_arguments(callable_->schema, args, &project);
  set.function = differentiable_call(*callable_, set.arguments);
  sets_.push_back(std::move(set));
}

Tensors TimedCall::roots_of(const Tensors& outputs) const {
  return differentiable_outputs(outputs);
}

void TimedCall::forward(Stack& stack) const {
  stack = set_->arguments;
  callable_->call(stack);
}

void TimedCall::differentiate_once() {
  if (direction_ == "backward") {
    autograd::grad(set_->roots, set_->wanted, set_->gradients, /*retain_graph=*/true,
                   /*create_graph=*/false, /*allow_unused=*/true);
    return;
  }
  forward(stack_);
  autograd::grad(roots_of(tensors_of(stack_)), set_->wanted, set_->gradients, std::nullopt, false,
                 true);
  stack_.clear();
}

Stack TimedCall::results(size_t set) {
  auto* before = set_;
  use(set);
  Stack values;
  if (direction_ == "forward") {
    forward(values);
    values = flatten(values);
  } else {
    const auto roots = roots_of(set_->function.call(set_->function.inputs));
    for (auto& gradient :
         autograd::grad(roots, set_->wanted, set_->gradients, std::nullopt, false, true))
      values.emplace_back(std::move(gradient));
  }
  set_ = before;
  return values;
}

Tensors TimedCall::outputs_for(const Tensors& inputs) const {
  return sets_[0].function.call(inputs);
}

}  // namespace opsmith
