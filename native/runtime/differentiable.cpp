#include "runtime/differentiable.h"

#include <ATen/core/List.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/repeat_interleave.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>

#include "runtime/values.h"

namespace opsmith {
namespace {

using c10::IValue;
using Stack = std::vector<IValue>;

void collect(const IValue& value, const std::string& name, Differentiable& into) {
  if (value.isTensor()) {
    if (!value.toTensor().defined()) return;
    into.inputs.push_back(value.toTensor());
    into.names.push_back(name);
  } else if (value.isTensorList() || value.isOptionalTensorList()) {
    size_t index = 0;
    for (const auto& element : value.toListRef())
      collect(element, name + "[" + std::to_string(index++) + "]", into);
  }
}

// The same value with its tensors exchanged for those from `next` on.
IValue with_tensors(const IValue& value, const at::Tensor*& next) {
  if (value.isTensor() && value.toTensor().defined()) return *next++;
  if (!value.isTensorList() && !value.isOptionalTensorList()) return value;
  c10::impl::GenericList list(value.toList().elementType());
  for (const auto& element : value.toListRef())
    list.push_back(with_tensors(element, next));
  return list;
}

at::Tensor uniform(const at::Tensor& like, at::Generator& generator, bool non_contiguous) {
  const auto dtype =
      like.is_floating_point() || like.is_complex() ? like.scalar_type() : at::kDouble;
  auto sizes = like.sizes().vec();
  // As make_tensor does it: every second element of a tensor twice as long in its last dimension.
  const bool spread = non_contiguous && like.numel() > 1 && !sizes.empty();
  if (spread) sizes.back() *= 2;
  auto tensor = at::empty(sizes, at::TensorOptions().dtype(dtype)).uniform_(-1, 1, generator);
  if (spread) tensor = tensor.slice(-1, 1, std::nullopt, 2);
  return tensor.to(like.device()).requires_grad_();
}

}  // namespace

Differentiable differentiable_call(const Callable& callable, Stack arguments) {
  Differentiable function;
  for (size_t i = 0; i < arguments.size(); ++i)
    collect(arguments[i], callable.schema.arguments()[i].name(), function);
  function.call = [call = callable.call, arguments = std::move(arguments)](const Tensors& inputs) {
    Stack stack;
    stack.reserve(arguments.size());
    const auto* next = inputs.data();
    for (const auto& argument : arguments)
      stack.push_back(with_tensors(argument, next));
    call(stack);
    Tensors outputs;
    for (const auto& value : flatten(stack)) {
      if (value.isTensor() && value.toTensor().defined()) outputs.push_back(value.toTensor());
    }
    return outputs;
  };
  return function;
}

Tensors differentiable_outputs(const Tensors& outputs) {
  Tensors found;
  for (const auto& output : outputs) {
    if (output.requires_grad()) found.push_back(output);
  }
  return found;
}

std::vector<size_t> differentiable_inputs(const Tensors& inputs) {
  std::vector<size_t> found;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].requires_grad()) found.push_back(i);
  }
  return found;
}

Differentiable gradients_of(const Differentiable& function, int64_t seed, bool non_contiguous) {
  Differentiable second;
  second.inputs = function.inputs;
  second.names = function.names;
  auto generator = at::detail::createCPUGenerator(static_cast<uint64_t>(seed));
  const auto outputs = differentiable_outputs(function.call(function.inputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    second.inputs.push_back(uniform(outputs[i], generator, non_contiguous));
    second.names.push_back("grad_output[" + std::to_string(i) + "]");
  }
  const auto first_gradient = function.inputs.size();
  const auto differentiable = differentiable_inputs(second.inputs);
  second.call = [call = function.call, first_gradient, differentiable](const Tensors& given) {
    // Forward AD detaches its inputs.
    for (const size_t index : differentiable) {
      if (!given[index].requires_grad()) given[index].requires_grad_();
    }
    const auto middle = given.begin() + static_cast<std::ptrdiff_t>(first_gradient);
    const auto results = differentiable_outputs(call(Tensors(given.begin(), middle)));
    Tensors inputs, gradients;
    for (const size_t index : differentiable) {
      if (index < first_gradient) inputs.push_back(given[index]);
    }
    for (auto& gradient : torch::autograd::grad(results, inputs, Tensors(middle, given.end()),
                                                std::nullopt, /*create_graph=*/true,
                                                /*allow_unused=*/true)) {
      if (gradient.defined()) gradients.push_back(std::move(gradient));
    }
    return gradients;
  };
  return second;
}

}  // namespace opsmith
