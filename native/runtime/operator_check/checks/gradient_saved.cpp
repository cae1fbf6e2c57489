#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

constexpr const char* save_it =
    "Save the tensors that backward reads with ctx->save_for_backward. Do not keep these tensors "
    "in your own variable, in ctx->saved_data or as a data pointer: autograd would not notice a "
    "change of the values.";

// What a program may do between forward and backward. The gradients must not depend on it.
class BetweenThem {
 public:
  explicit BetweenThem(const GradientCase& given)
      : given_(given), tolerance_(given.fineness.epsilon > double_fineness.epsilon ? 1e-3 : 1e-6) {
    const CallWithGraph alone(given.function, leaves_of(given.inputs, given.wanted));
    if (const auto gradients = alone.backward(alone.grad_outputs()))
      expected_ = defined_gradients(*gradients, alone.inputs(), given.wanted);
  }

  bool is_known() const { return expected_.has_value(); }

  // Another forward.
  Finding after_other_call() const {
    const CallWithGraph first(given_.function, leaves_of(given_.inputs, given_.wanted));
    auto values = given_.inputs;
    for (const size_t place : given_.wanted)
      values[place] = values[place].detach() * -0.5 + 0.125;
    const CallWithGraph second(given_.function, leaves_of(values, given_.wanted));
    if (!second.error().empty()) return std::nullopt;
    return fault(first, "after another call of forward, ");
  }

  // The inputs are gone, and their memory is used by others.
  Finding after_inputs_are_freed() const {
    const CallWithGraph recorded(
        [&](const Tensors& inputs) { return given_.function(intermediates(inputs)); },
        leaves_of(given_.inputs, given_.wanted));
    Tensors others;
    constexpr int times = 8;
    for (int turn = 0; turn < times; ++turn) {
      for (const auto& input : given_.inputs)
        others.push_back(at::full_like(input.detach(), 7, at::MemoryFormat::Contiguous));
    }
    return fault(recorded, "when forward's inputs are freed before backward, ");
  }

  // The inputs are changed in place: backward throws, or uses the values from before.
  Finding after_inputs_are_written() const {
    const CallWithGraph recorded(
        [&](const Tensors& inputs) {
          const auto given = intermediates(inputs);
          auto outputs = given_.function(given);
          // A view of an input changes with it.
          for (const auto& output : outputs) {
            for (const auto& input : given) {
              if (output.is_alias_of(input)) return outputs;
            }
          }
          const at::NoGradGuard unrecorded;
          for (const size_t place : given_.wanted)
            given[place].mul_(3).add_(0.25);
          return outputs;
        },
        leaves_of(given_.inputs, given_.wanted));
    return fault(recorded, "backward does not throw after an input was changed in place, and ");
  }

 private:
  // Tensors that nobody but the function's graph may keep.
  Tensors intermediates(const Tensors& inputs) const {
    Tensors made;
    for (const auto& input : inputs)
      made.push_back(input.requires_grad() ? input * 1 : input.clone());
    return made;
  }

  Finding fault(const CallWithGraph& recorded, const std::string& when) const {
    if (!recorded.error().empty()) return std::nullopt;
    const auto gradients = recorded.backward(recorded.grad_outputs());
    if (!gradients) return std::nullopt;
    const auto actual = defined_gradients(*gradients, recorded.inputs(), given_.wanted);
    const auto mismatch = gradient_difference(actual, *expected_, given_.wanted, tolerance_);
    if (!mismatch) return std::nullopt;
    auto finding = mismatch_finding(given_, *mismatch, when, "otherwise");
    finding.advice = save_it;
    return finding;
  }

  const GradientCase& given_;
  double tolerance_;
  std::optional<Tensors> expected_;
};

OperatorCheckFinding check_gradient_saved(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (!given.fault.empty()) return skipped("backward throws: " + given.fault);
  const BetweenThem between(given);
  if (!between.is_known()) return skipped("backward returns no gradients");
  struct Look {
    const char* when;
    Finding (BetweenThem::*find)() const;
  };
  for (const auto& [when, find] :
       {Look{"after another call of forward, ", &BetweenThem::after_other_call},
        Look{"after the inputs of forward are freed, ", &BetweenThem::after_inputs_are_freed},
        Look{"after an input is changed in place, ", &BetweenThem::after_inputs_are_written}}) {
    const auto found = look_in_copy(when, [&](const std::function<void()>& accept) {
      accept();
      return (between.*find)();
    });
    if (found) return *found;
  }
  return passed(
      "backward uses the inputs of its own forward call, even if they were freed or changed");
}

const RegisteredCheck gradient_saved_check({
    .name = "gradient_saved",
    .title = "gradient saved",
    .meaning = "Backward uses the inputs of its own forward call, even after other calls, or after "
               "the inputs were freed or changed",
    .order = 62,
    .run = check_gradient_saved,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
