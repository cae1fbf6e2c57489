// A call with its graph, to go through backward again and again.
#pragma once

#include <optional>
#include <string>

#include "runtime/differentiable.h"

namespace opsmith {

class CallWithGraph {
 public:
  // Calls `function`. Gradients are of those inputs that require grad.
  CallWithGraph(const TensorFunction& function, Tensors inputs);

  // What the call threw, in one line; "" when it ran.
  const std::string& error() const { return error_; }
  const Tensors& inputs() const { return inputs_; }
  // The outputs that have a gradient, and their places among all.
  const Tensors& outputs() const { return outputs_; }
  const std::vector<size_t>& places() const { return places_; }

  // A gradient for each output: contiguous, all different, none of them simple.
  Tensors grad_outputs() const;

  // Of the inputs that require grad, in their order; undefined where none comes. nullopt without a
  // graph, and where backward throws: `error` then says what.
  std::optional<Tensors> backward(const Tensors& grads, std::string* error = nullptr) const;
  // From one output alone.
  std::optional<Tensors> backward_from(size_t output, const at::Tensor& grad,
                                       std::string* error = nullptr) const;

 private:
  std::optional<Tensors> gradients(const Tensors& outputs, const Tensors& grads,
                                   std::string* error) const;

  Tensors inputs_, outputs_;
  std::vector<size_t> places_;
  std::string error_;
};

}  // namespace opsmith
