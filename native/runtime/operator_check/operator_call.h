// A call that operator checks make again and again with other tensors in it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/differentiable.h"

namespace opsmith {

// The first line of an error, and of a long one its first sentence; never "".
std::string brief(const std::string& message);

struct TensorArgument {
  std::string name;     // "x", "weights[1]"
  size_t argument = 0;  // its place in the schema
  at::Tensor tensor;
  bool may_be_written = false;  // by the schema: Tensor(a!)
  std::string alias;            // the sets it belongs to: "a"; "" for none
};

class OperatorCall {
 public:
  OperatorCall(Callable callable, std::vector<c10::IValue> arguments);

  const Callable& callable() const { return callable_; }
  const std::vector<TensorArgument>& tensors() const { return tensors_; }
  // As given, in the order of the schema.
  const std::vector<c10::IValue>& arguments() const { return arguments_; }
  // The integers among its arguments, those in lists too.
  const std::vector<int64_t>& integers() const { return integers_; }
  std::vector<std::string> names() const;
  Tensors values() const;

  // Copies of the tensors: detached, requires_grad kept.
  Tensors fresh() const;
  // Each tensor exchanged.
  Tensors map(const std::function<at::Tensor(const at::Tensor&)>& change) const;

  // The call with these tensors in place of its own; its outputs that are tensors, flattened.
  // Throws what the operator throws.
  Tensors run(const Tensors& tensors) const;

  // The same call with another value of one argument that is no tensor.
  OperatorCall with_argument(size_t place, c10::IValue value) const;

  // What it threw, in one line; "" when it ran.
  std::string try_run(const Tensors& tensors, Tensors& outputs) const;

 private:
  Callable callable_;
  std::vector<c10::IValue> arguments_;
  std::vector<TensorArgument> tensors_;
  std::vector<int64_t> integers_;
  TensorFunction function_;
};

}  // namespace opsmith
