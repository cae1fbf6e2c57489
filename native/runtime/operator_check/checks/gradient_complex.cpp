#include <ATen/Functions.h>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

// The same numbers with imaginary parts of their own.
at::Tensor as_complex(const at::Tensor& tensor) {
  const auto imaginary = at::arange(1, tensor.numel() + 1, tensor.options()).mul(1.7).sin();
  return at::complex(tensor, imaginary.reshape(tensor.sizes()));
}

OperatorCheckFinding check_gradient_complex(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (!given.fault.empty()) return skipped("backward throws: " + given.fault);
  for (const size_t place : given.wanted) {
    auto& input = given.inputs[place];
    if (input.is_complex())
      return skipped(
          "the inputs are complex, so the check \"gradients\" already tests complex numbers");
    if (input.scalar_type() != at::kDouble)
      return skipped("the operator does not compute in float64");
    input = as_complex(input.detach());
  }
  const auto found = look_in_copy(
      "in complex128: ",
      [&](const std::function<void()>& accept) -> std::optional<OperatorCheckFinding> {
        const CallWithGraph recorded(given.function, leaves_of(given.inputs, given.wanted));
        if (!recorded.error().empty() || recorded.outputs().empty()) return skipped("");
        accept();
        std::string error;
        const auto mismatch = gradient_mismatch(given, given.inputs, &error);
        if (!error.empty()) return skipped("in complex128, backward throws: " + error);
        if (!mismatch) return passed();
        auto finding = mismatch_finding(given, *mismatch, "in complex128: ");
        finding.advice =
            "For complex inputs, multiply grad_output by the conjugate of the derivative, as "
            "PyTorch does: grad_output * derivative.conj(). Or refuse complex inputs in forward "
            "(TORCH_CHECK).";
        return finding;
      });
  if (!found || (found->status == CheckStatus::skipped && found->reason.empty()))
    return skipped("the operator refuses complex128");
  if (found->status == CheckStatus::skipped) return skipped(found->reason);
  if (found->status == CheckStatus::failed) return *found;
  return passed("the gradients in complex128 agree with finite differences");
}

const RegisteredCheck gradient_complex_check({
    .name = "gradient_complex",
    .title = "gradient complex",
    .meaning = "If the operator accepts complex128, the gradients in complex128 are right",
    .order = 58,
    .run = check_gradient_complex,
    .only_when_asked = "this check is off by default, because many operators accept complex "
                       "numbers but are meant only for real numbers; turn on “thorough” "
                       "(--thorough), or select this check (--check NAME)",
    .compares_calls = true,
    .after = "gradients",
    .thorough = true,
});

}  // namespace
}  // namespace opsmith
