// A call made again and again to be timed: an operator, a function of the program or an
// expression; forward, backward or both.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/differentiable.h"
#include "runtime/enum_text.h"
#include "runtime/inputs.h"

namespace opsmith {

class DeviceWatch;

enum class TimingDirection { forward, backward, both };
constexpr auto texts_of(TimingDirection) {
  return enum_texts<TimingDirection>({{TimingDirection::forward, "forward"},
                                      {TimingDirection::backward, "backward"},
                                      {TimingDirection::both, "both"}});
}

// contract/timing.ts's timedCall.
struct TimedCallRequest {
  std::string op;
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
  std::optional<ProgramSource> program;
  std::optional<std::string> expression;
  TimingDirection direction = TimingDirection::forward;
  int64_t threads = 1;
  bool cold = false;
  // New values in other memory for every few samples; else the same ones for all.
  bool fresh = true;
};

// Whether it shares memory with one of them.
bool shares_memory(const at::Tensor& tensor, const Tensors& with);

class TimedCall {
 public:
  // Makes the inputs, in as many sets of other values as memory allows; one that does not write to
  // them has them in common with the others that are open. Throws Failure
  // (operator.unknown, program.compile, input.invalid, device.unavailable, derivative.missing where
  // there is nothing to derive), and what the operator throws.
  explicit TimedCall(const TimedCallRequest& request);

  const std::string& name() const { return name_; }
  const Callable& callable() const { return *callable_; }
  // Where the work is done: that of the first input that is not on the CPU, else of an output, else
  // the one that a call has taken memory of.
  at::Device device() const { return device_; }
  size_t sets() const { return sets_.size(); }
  // What one forward moves: the inputs of a set, outputs in memory of their own, and inputs that
  // are written, these twice. 0 where every output is a view of an input: nothing is moved then.
  int64_t bytes() const { return bytes_; }
  bool gives_views() const { return gives_views_; }
  // Of one forward, as count_flops() sees them; 0 where it sees none.
  int64_t flops() const { return flops_; }

  // The next calls use the inputs of that set.
  void use(size_t set) { set_ = &sets_[set % sets_.size()]; }
  // The cost of calling is part of every timing: no code of ours is between the loop and the
  // dispatcher.
  void once() {
    if (!only_forward_) return differentiate_once();
    stack_ = set_->arguments;
    if (op_) {
      op_->callBoxed(stack_);
    } else {
      callable_->call(stack_);
    }
    stack_.clear();
  }

  // What the call gives for the inputs of a set: outputs, or gradients of those inputs that require
  // grad (undefined ones as undefined tensors). Computed anew.
  std::vector<c10::IValue> results(size_t set);
  // The same for other tensors instead of the inputs.
  Tensors outputs_for(const Tensors& inputs) const;
  const Tensors& inputs(size_t set) const { return sets_[set].function.inputs; }
  // The arguments of a set, boxed.
  const std::vector<c10::IValue>& arguments(size_t set) const { return sets_[set].arguments; }

 private:
  struct Set {
    std::vector<c10::IValue> arguments;
    Differentiable function;
    Tensors wanted;            // inputs that require grad
    Tensors roots, gradients;  // of a graph that is kept, for backward
  };
  void add_set(const TimedCallRequest& request, int64_t number, bool shared);
  void find_device(const DeviceWatch& watch, const Tensors& outputs);
  // Calls it once on inputs of its own: counts, and tells whether it writes to any of them.
  bool probe(const TimedCallRequest& request);
  void forward(std::vector<c10::IValue>& stack) const;
  void differentiate_once();
  Tensors roots_of(const Tensors& outputs) const;
  // Of a call that was made; gives the inputs that it has written to, by all that is known of it.
  Tensors count_bytes(const std::vector<uint32_t>& versions, const Tensors& outputs);

  std::string name_;
  TimingDirection direction_;
  std::optional<Callable> callable_;
  std::optional<c10::OperatorHandle> op_;  // of an operator
  bool only_forward_ = true;
  at::Device device_ = at::kCPU;
  std::vector<Set> sets_;
  Set* set_ = nullptr;
  std::vector<c10::IValue> stack_;
  int64_t bytes_ = 0, flops_ = 0;
  bool gives_views_ = false;
};

}  // namespace opsmith
