#include "runtime/timing/timed_call.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <regex>
#include <set>

#include "runtime/arguments.h"
#include "runtime/devices.h"
#include "runtime/failure.h"
#include "runtime/program/program.h"
#include "runtime/registry.h"
#include "runtime/timing/flop_count.h"
#include "runtime/timing/shared_inputs.h"
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

// Writing through autograd's kernels counts a tensor's version up.
std::vector<uint32_t> versions_of(const Tensors& tensors) {
  std::vector<uint32_t> versions;
  for (const auto& tensor : tensors)
    versions.push_back(tensor.is_inference() ? 0 : static_cast<uint32_t>(tensor._version()));
  return versions;
}

Tensors tensors_of(const Stack& values) {
  Tensors found;
  for (const auto& value : flatten(values)) {
    if (value.isTensor() && value.toTensor().defined()) found.push_back(value.toTensor());
  }
  return found;
}

}  // namespace

bool shares_memory(const at::Tensor& tensor, const Tensors& with) {
  return tensor.has_storage() && std::any_of(with.begin(), with.end(), [&](const auto& other) {
           return other.has_storage() && tensor.is_alias_of(other);
         });
}

TimedCall::TimedCall(const TimedCallRequest& request)
    : direction_(request.direction), only_forward_(request.direction == TimingDirection::forward) {
  const Stage stage(ErrorCode::operator_unknown);
  if (!request.expression) {
    callable_.emplace(find_callable(request.op, request.program));
    name_ = callable_->name;
    if (callable_->function == nullptr) op_ = find_operator(name_);
  } else {
    const Stage compiling(ErrorCode::program_compile);
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
  const bool shared = !probe(request);
  add_set(request, 0, shared);
  const int64_t each = std::max<int64_t>(1, bytes_of(sets_[0].function.inputs));
  for (int64_t i = 1; i < std::min(most_sets, memory_for_sets / each); ++i)
    add_set(request, i, shared);
  const Stage calling(ErrorCode::operator_check);
  for (size_t i = 0; i < sets_.size(); ++i) {
    use(i);
    const auto outputs = sets_[i].function.call(sets_[i].function.inputs);
    if (direction_ == TimingDirection::forward) continue;
    for (const auto& input : sets_[i].function.inputs) {
      if (input.requires_grad()) sets_[i].wanted.push_back(input);
    }
    const auto roots = roots_of(outputs);
    if (sets_[i].wanted.empty()) {
      throw Failure(ErrorCode::derivative_missing, name_ + ": no input requires grad",
                    "To time backward, set \"requires_grad\" on a floating-point input.");
    }
    if (roots.empty()) {
      throw Failure(ErrorCode::derivative_missing, name_ + ": no output requires grad",
                    "To time backward, give the operator a derivative: register an Autograd "
                    "kernel.");
    }
    for (const auto& root : roots)
      sets_[i].gradients.push_back(at::ones_like(root.detach()));
    if (direction_ == TimingDirection::backward) sets_[i].roots = roots;
  }
  use(0);
}

bool TimedCall::probe(const TimedCallRequest& request) {
  add_set(request, 0, /*shared=*/false);
  const Stage stage(ErrorCode::operator_check);
  const auto& function = sets_[0].function;
  const auto versions = versions_of(function.inputs);
  Tensors before;
  for (const auto& input : function.inputs)
    before.push_back(input.detach().clone());
  Tensors outputs;
  const DeviceWatch watch;
  flops_ = count_flops([&] { outputs = function.call(function.inputs); });
  if (device_.is_cpu()) find_device(watch, outputs);
  bool writes = !count_bytes(versions, outputs).empty();
  // Or without telling anybody.
  for (size_t i = 0; i < before.size() && !writes; ++i) {
    writes = !at::allclose(function.inputs[i].detach(), before[i], 0, 0, /*equal_nan=*/true);
  }
  sets_.clear();
  return writes;
}

// Of a call whose inputs all lie on the CPU.
void TimedCall::find_device(const DeviceWatch& watch, const Tensors& outputs) {
  for (const auto& output : outputs) {
    if (device_.is_cpu() && !output.is_cpu()) device_ = output.device();
  }
  if (device_.is_cpu()) device_ = watch.used().value_or(device_);
}

void TimedCall::add_set(const TimedCallRequest& request, int64_t number, bool shared) {
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
    if (!is_strided(spec)) {
      throw Failure(
          ErrorCode::input_invalid,
          "input " + spec.name + " is " + enum_text(*spec.layout) +
              ": only strided inputs are timed",
          "Use a strided input: add a function to the TorchScript program that converts the input "
          "to this layout and calls the operator, and time this function.");
    }
    const auto tensor = shared ? shared_input(spec) : make_input(spec);
    if (!tensor.is_cpu() && !device_.is_cpu() && tensor.device() != device_) {
      throw Failure(ErrorCode::input_invalid,
                    "input " + spec.name + " is on " + tensor.device().str() +
                        ", but another input is on " + device_.str() + ": a timing uses one device",
                    "Set the same \"device\" for all inputs.");
    }
    if (!tensor.is_cpu()) device_ = tensor.device();
    project.tensors.emplace(spec.name, tensor);
  }
  Set set;
  set.arguments = make_arguments(callable_->schema, args, &project);
  set.function = differentiable_call(*callable_, set.arguments);
  sets_.push_back(std::move(set));
}

Tensors TimedCall::count_bytes(const std::vector<uint32_t>& versions, const Tensors& outputs) {
  const auto& inputs = sets_[0].function.inputs;
  Tensors written;
  const auto after = versions_of(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (after[i] != versions[i]) written.push_back(inputs[i]);
  }
  // An own kernel may write without telling autograd; its schema says so.
  const auto& declared = callable_->schema.arguments();
  for (size_t i = 0; i < declared.size() && i < sets_[0].arguments.size(); ++i) {
    if (declared[i].alias_info() == nullptr || !declared[i].alias_info()->isWrite()) continue;
    for (const auto& tensor : tensors_of({sets_[0].arguments[i]}))
      written.push_back(tensor);
  }
  const auto once = [](const Tensors& tensors) {
    std::set<const c10::TensorImpl*> seen;
    int64_t bytes = 0;
    for (const auto& tensor : tensors) {
      if (seen.insert(tensor.unsafeGetTensorImpl()).second) bytes += bytes_of({tensor});
    }
    return bytes;
  };
  Tensors made;
  bool any_output = false;
  for (const auto& output : outputs) {
    any_output = any_output || output.numel() > 0;
    if (!shares_memory(output, inputs) && !shares_memory(output, made)) made.push_back(output);
  }
  gives_views_ = any_output && made.empty() && written.empty();
  bytes_ = gives_views_ ? 0 : once(inputs) + once(made) + once(written);
  return written;
}

Tensors TimedCall::roots_of(const Tensors& outputs) const {
  return differentiable_outputs(outputs);
}

void TimedCall::forward(Stack& stack) const {
  stack = set_->arguments;
  callable_->call(stack);
}

void TimedCall::differentiate_once() {
  if (direction_ == TimingDirection::backward) {
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
  if (direction_ == TimingDirection::forward) {
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
