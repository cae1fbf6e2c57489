#include "runtime/operator_check/call_with_graph.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

#include "runtime/failure.h"
#include "runtime/gradcheck/jacobian.h"
#include "runtime/operator_check/operator_call.h"

namespace opsmith {

CallWithGraph::CallWithGraph(const TensorFunction& function, Tensors inputs)
    : inputs_(std::move(inputs)) {
  const at::AutoGradMode recording(true);
  Tensors all;
  try {
    all = function(inputs_);
  } catch (...) {
    error_ = brief(describe_current_exception().message);
    return;
  }
  for (size_t place = 0; place < all.size(); ++place) {
    const auto node = all[place].grad_fn();
    // libtorch's fallback for operators without an autograd kernel gives no gradient.
    if (!node || node->name().find("NotImplemented") != std::string::npos) continue;
    if (!is_differentiable_type(all[place])) continue;
    outputs_.push_back(all[place]);
    places_.push_back(place);
  }
}

Tensors CallWithGraph::grad_outputs() const {
  Tensors grads;
  for (const auto& output : outputs_) {
    const auto places = at::arange(1, output.numel() + 1, output.options().dtype(at::kDouble));
    grads.push_back(places.sin().to(output.scalar_type()).reshape(output.sizes()));
  }
  return grads;
}

std::optional<Tensors> CallWithGraph::backward(const Tensors& grads, std::string* error) const {
  return gradients(outputs_, grads, error);
}

std::optional<Tensors> CallWithGraph::backward_from(size_t output, const at::Tensor& grad,
                                                    std::string* error) const {
  return gradients({outputs_.at(output)}, {grad}, error);
}

std::optional<Tensors> CallWithGraph::gradients(const Tensors& outputs, const Tensors& grads,
                                                std::string* error) const {
  Tensors wanted;
  for (const auto& input : inputs_) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  if (outputs.empty() || wanted.empty()) return std::nullopt;
  try {
    return torch::autograd::grad(outputs, wanted, grads, /*retain_graph=*/true,
                                 /*create_graph=*/false, /*allow_unused=*/true);
  } catch (...) {
    if (error != nullptr) *error = brief(describe_current_exception().message);
    return std::nullopt;
  }
}

}  // namespace opsmith
