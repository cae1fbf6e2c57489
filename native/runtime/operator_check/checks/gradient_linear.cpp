#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

// Powers of two: a product with them is not rounded.
constexpr double linear_factors[] = {1024, 1.0 / (1 << 20), -1};

bool is_near_overflow(const Tensors& gradients) {
  constexpr double large = 1e30;
  for (const auto& gradient : gradients) {
    if (gradient.numel() == 0) continue;
    if (!(gradient.abs().max().item<double>() < large)) return true;
  }
  return false;
}

OperatorCheckFinding check_gradient_linear(const OperatorCall& call) {
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (!given.fault.empty()) return skipped("backward throws: " + given.fault);
  const CallWithGraph recorded(given.function, leaves_of(given.inputs, given.wanted));
  const auto gradients_for = [&](double factor) -> std::optional<Tensors> {
    auto grads = recorded.grad_outputs();
    const at::NoGradGuard unrecorded;
    for (auto& grad : grads)
      grad.mul_(factor);
    const auto gradients = recorded.backward(grads);
    if (!gradients) return std::nullopt;
    auto defined = defined_gradients(*gradients, recorded.inputs(), given.wanted);
    for (auto& gradient : defined)
      gradient = gradient / factor;
    return defined;
  };
  const auto expected = gradients_for(1);
  if (!expected || is_near_overflow(*expected))
    return skipped("the gradients are not finite, or close to overflow");
  const double tolerance = given.fineness.epsilon > double_fineness.epsilon ? 1e-3 : 1e-6;
  for (const double factor : linear_factors) {
    const auto actual = gradients_for(factor);
    if (!actual) continue;
    const auto mismatch = gradient_difference(*actual, *expected, given.wanted, tolerance);
    if (!mismatch) continue;
    const auto& name = given.names[mismatch->input];
    auto finding = failed(
        "when grad_output is multiplied by " + number_text(factor) + ", element " +
            index_text(mismatch->index) + " of the gradient of " + name + " is " +
            number_text(factor) + " * " + number_text(mismatch->analytical) + ", not " +
            number_text(factor) + " * " + number_text(mismatch->numerical),
        "Gradients must be proportional to grad_output. Look for code in backward that clips, "
        "rounds or skips small or large values. If this is intended, skip this check: add "
        "\"skip\": {\"gradient_linear\": \"REASON\"} to the entry of the operator in \"checks\" of "
        "opsmith.json.");
    finding.input = name;
    finding.index = mismatch->index;
    return finding;
  }
  return passed("gradients are proportional to grad_output");
}

const RegisteredCheck gradient_linear_check({
    .name = "gradient_linear",
    .title = "gradient linear",
    .meaning = "Gradients are proportional to grad_output, even if grad_output is small, large or "
               "negative",
    .order = 61,
    .run = check_gradient_linear,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
