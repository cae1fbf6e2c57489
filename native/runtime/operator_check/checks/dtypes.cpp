#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <optional>

#include "runtime/dtypes.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_dtypes(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  std::optional<at::ScalarType> given_dtype;
  for (const auto& tensor : call.values()) {
    if (tensor.is_floating_point() && !given_dtype) given_dtype = tensor.scalar_type();
  }
  if (!given_dtype) return skipped("no input is of a floating dtype");
  const auto converted = [&](at::ScalarType dtype) {
    return call.map([&](const at::Tensor& tensor) {
      // Rounded to the narrower dtype first, so that both see the same values.
      // Always copies: an operator may write to its input.
      const auto wanted = tensor.is_floating_point() ? dtype : tensor.scalar_type();
      return tensor.detach().to(wanted, /*non_blocking=*/false, /*copy=*/true);
    });
  };
  std::vector<std::string> accepted, refused;
  for (const auto dtype :
       {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kComplexFloat, at::kComplexDouble,
        at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kBool}) {
    const auto name = dtype_name(dtype);
    const auto given = converted(dtype);
    const auto outcome = run_forked(
        [&]() -> std::string {
          Tensors outputs;
          const auto error = call.try_run(given, outputs);
          if (!error.empty()) return "refused";
          // Whole numbers and complex ones have other answers by right.
          if (!at::isFloatingType(dtype)) return "";
          auto exact = converted(dtype);  // the call may have written to `given`
          for (auto& tensor : exact)
            tensor = tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
          Tensors expected;
          if (!call.try_run(exact, expected).empty()) return "";
          return finding_text(difference(outputs, expected, "in " + name, dtype));
        },
        patience);
    if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
    const auto* advice =
        "Check the dtype before memory is read (data_ptr<T>() does), or dispatch on it "
        "(AT_DISPATCH_FLOATING_TYPES).";
    if (outcome.end != ForkedOutcome::End::answered)
      return ended(outcome, "in " + name + ": " + outcome.describe(), advice);
    if (!outcome.answer.empty() && outcome.answer != "refused")
      return failed(outcome.answer + " (as in float64)", advice);
    (outcome.answer.empty() ? accepted : refused).push_back(name);
  }
  return passed("accepts " + joined(accepted) +
                (refused.empty() ? "" : "; refuses " + joined(refused)));
}

const RegisteredCheck dtypes_check({
    .name = "dtypes",
    .title = "dtypes",
    .meaning = "Which dtypes are accepted, and whether the answer agrees with float64",
    .order = 100,
    .run = check_dtypes,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
