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
      return skipped("the inputs are complex: the check \"gradients\" covers them");
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
        const auto mismatch = gradient_mismatch(given, given.inputs);
        if (!mismatch) return passed();
        auto finding = mismatch_finding(given, *mismatch, "in complex128: ");
        finding.advice =
            "Use the conjugate of the derivative for complex inputs, as PyTorch does: grad * "
            "x.conj(). Or refuse complex inputs in forward (TORCH_CHECK).";
        return finding;
      });
  if (!found || found->status == CheckStatus::skipped)
    return skipped("the operator refuses complex128");
  if (found->status == CheckStatus::failed) return *found;
  return passed("the gradients in complex128 agree with finite differences");
}

const RegisteredCheck gradient_complex_check({
    .name = "gradient_complex",
    .title = "gradient complex",
    .meaning = "Gradients are right in complex128, if the operator accepts it",
    .order = 58,
    .run = check_gradient_complex,
    .only_when_asked = "turn on “thorough” (--thorough), or select this check (--check NAME): many "
                       "operators accept complex numbers, but are meant only for real numbers",
    .compares_calls = true,
    .after = "gradients",
    .thorough = true,
});

}  // namespace
}  // namespace opsmith
