#include "runtime/operator_check/operator_call.h"

#include "runtime/arguments.h"
#include "runtime/failure.h"

namespace opsmith {
namespace {

std::string alias_sets(const c10::AliasInfo* alias) {
  std::string text;
  if (alias == nullptr) return text;
  for (const auto& set : alias->beforeSets())
    text += set.toUnqualString();
  for (const auto& element : alias->containedTypes())
    text += alias_sets(&element);
  return text;
}

size_t count_tensors(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() ? 1 : 0;
  size_t count = 0;
  if (value.isTensorList() || value.isOptionalTensorList()) {
    for (const auto& element : value.toListRef())
      count += count_tensors(element);
  }
  return count;
}

}  // namespace

std::string brief(const std::string& message) {
  // The interpreter's own words come first, what the operator said last.
  const std::string interpreter = "The following operation failed in the TorchScript interpreter.";
  const auto said = message.rfind("Error: ");
  const bool is_scripted =
      message.compare(0, interpreter.size(), interpreter) == 0 && said != std::string::npos;
  const auto text = is_scripted ? message.substr(said + 7) : message;
  auto line = text.substr(0, text.find('\n'));
  if (line.empty()) return "an error without a message";
  constexpr size_t long_line = 160;
  const auto end = line.size() > long_line ? line.find(". ", 40) : std::string::npos;
  return end == std::string::npos ? line : line.substr(0, end);
}

OperatorCall::OperatorCall(Callable callable, std::vector<c10::IValue> arguments)
    : callable_(std::move(callable)), arguments_(arguments) {
  std::vector<size_t> owners;
  for (size_t i = 0; i < arguments.size(); ++i)
    owners.insert(owners.end(), count_tensors(arguments[i]), i);
  for (const auto& argument : arguments) {
    if (argument.isInt()) integers_.push_back(argument.toInt());
    if (!argument.isIntList()) continue;
    for (const int64_t integer : argument.toIntVector())
      integers_.push_back(integer);
  }
  auto function = differentiable_call(callable_, std::move(arguments));
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    const auto* alias = callable_.schema.arguments()[owners[i]].alias_info();
    tensors_.push_back(
        {function.names[i], owners[i], function.inputs[i], is_written(alias), alias_sets(alias)});
  }
  function_ = std::move(function.call);
}

std::vector<std::string> OperatorCall::names() const {
  std::vector<std::string> names;
  for (const auto& tensor : tensors_)
    names.push_back(tensor.name);
  return names;
}

Tensors OperatorCall::values() const {
  Tensors values;
  for (const auto& tensor : tensors_)
    values.push_back(tensor.tensor);
  return values;
}

Tensors OperatorCall::map(const std::function<at::Tensor(const at::Tensor&)>& change) const {
  Tensors changed;
  for (const auto& tensor : tensors_)
    changed.push_back(change(tensor.tensor));
  return changed;
}

Tensors OperatorCall::fresh() const {
  return map([](const at::Tensor& tensor) {
    auto copy = tensor.detach().clone();
    if (tensor.requires_grad()) copy.requires_grad_();
    return copy;
  });
}

OperatorCall OperatorCall::with_argument(size_t place, c10::IValue value) const {
  auto arguments = arguments_;
  arguments.at(place) = std::move(value);
  return {callable_, std::move(arguments)};
}

Tensors OperatorCall::run(const Tensors& tensors) const {
  return function_(tensors);
}

std::string OperatorCall::try_run(const Tensors& tensors, Tensors& outputs) const {
  // What the operator throws is what a check asks about.
  try {
    outputs = function_(tensors);
    return "";
  } catch (...) {
    return brief(describe_current_exception().message);
  }
}

}  // namespace opsmith
