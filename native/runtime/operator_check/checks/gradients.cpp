#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_gradients(const OperatorCall& call) {
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  std::string error = given.fault;
  const auto mismatch =
      error.empty() ? gradient_mismatch(given, given.inputs, &error) : std::nullopt;
  if (!error.empty()) {
    return failed("backward throws: " + error,
                  "Handle these inputs in backward, or refuse them in forward (TORCH_CHECK).");
  }
  if (mismatch) return mismatch_finding(given, *mismatch, "");
  return passed("the gradients agree with finite differences");
}

const RegisteredCheck gradients_check({
    .name = "gradients",
    .title = "gradients",
    .meaning = "Backward returns the derivative of forward, also for other shapes and for other "
               "integer arguments",
    .order = 51,
    .run = check_gradients,
    .other_shapes = true,
    .each_integer = true,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
