// Whether the results of a call depend on the order in which the virtual GPU runs blocks and warps.
// Each launch has an order of its own, so the same call again is a call in another order.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <vector>

namespace opsmith {

class OtherOrder {
 public:
  // Before the call: a call may write to its arguments, and draw random numbers. Does nothing where
  // kernels are not checked.
  explicit OtherOrder(const std::vector<c10::IValue>& arguments);

  // After it, on the same thread. Calls again if a kernel left other values in another order. If
  // results or arguments then differ by more than rounding (the tolerances of compare()), what the
  // kernel left is a finding.
  // @param call takes the arguments off the stack and leaves the results there
  void compare(const std::vector<c10::IValue>& results,
               const std::function<void(std::vector<c10::IValue>&)>& call) const;

 private:
  std::vector<c10::IValue> arguments_;  // as the call sees them: what it has written to
  std::vector<c10::IValue> copies_;     // as they were before it
  std::vector<at::Generator> generators_;
};

}  // namespace opsmith
