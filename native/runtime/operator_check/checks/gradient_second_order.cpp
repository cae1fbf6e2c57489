#include <ATen/Functions.h>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_gradient_second_order(const OperatorCall& call) {
  const auto first = gradient_case(call);
  if (!first.skip.empty()) return skipped(first.skip);
  if (!first.fault.empty()) return skipped("backward throws: " + first.fault);
  const Differentiable function{first.function, leaves_of(first.inputs, first.wanted), first.names};
  const auto gradients = gradients_of(function, /*seed=*/0, /*non_contiguous=*/false);
  GradientCase second;
  second.function = gradients.call;
  second.names = gradients.names;
  second.inputs = gradients.inputs;
  second.wanted = differentiable_inputs(gradients.inputs);
  second.fineness = first.fineness;
  second.is_recorded = true;
  const CallWithGraph recorded(second.function, second.inputs);
  if (!recorded.error().empty()) return skipped("the operator throws: " + recorded.error());
  if (recorded.outputs().empty()) return skipped("the gradients have no grad_fn");
  std::string error;
  const auto mismatch = gradient_mismatch(second, second.inputs, &error);
  const std::string advice =
      "Write backward with differentiable operators. Use only grad_output and the saved inputs and "
      "outputs of forward: autograd treats other saved tensors as constants. If you do not support "
      "second-order gradients, refuse them in backward: "
      "TORCH_CHECK(!at::GradMode::is_enabled()).";
  if (!error.empty())
    return failed("computing the second-order gradients throws: " + error, advice);
  if (!mismatch) return passed("the second-order gradients agree with finite differences");
  auto finding = mismatch_finding(second, *mismatch, "in the second-order gradients, ");
  finding.advice = advice;
  return finding;
}

const RegisteredCheck gradient_second_order_check({
    .name = "gradient_second_order",
    .title = "gradient of second order",
    .meaning = "If the operator has second-order gradients, these gradients are right",
    .order = 59,
    .run = check_gradient_second_order,
    .only_when_asked =
        "this check is off by default, because many operators support only first derivatives; turn "
        "on “thorough” (--thorough), or select this check (--check NAME)",
    .compares_calls = true,
    .after = "gradients",
    .thorough = true,
});

}  // namespace
}  // namespace opsmith
