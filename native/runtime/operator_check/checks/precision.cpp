#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_precision(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  const auto in_double = call.map([](const at::Tensor& tensor) {
    const auto copy = tensor.detach().clone();
    return copy.is_floating_point() ? copy.to(at::kDouble) : copy;
  });
  Tensors outputs;
  if (const auto error = call.try_run(in_double, outputs); !error.empty()) {
    return skipped("it does not take float64");
  }
  bool tried = false;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].scalar_type() != at::kDouble) continue;
    const auto precision = computed_precision(outputs[o]);
    if (!precision) continue;
    tried = true;
    if (*precision == at::kDouble) continue;
    bool given_so = false;  // an operator that only moves numbers gives what it was given
    for (const auto& input : in_double) {
      given_so = given_so || (input.scalar_type() == at::kDouble &&
                              at::equal(input.to(at::kFloat).to(at::kDouble), input));
    }
    if (given_so) continue;
    auto finding =
        failed("every element of output " + std::to_string(o) +
                   " fits float32 exactly: float64 inputs are computed in float32",
               "Compute in the dtype that was given: look for float, expf, 1.0f and casts.");
    finding.output = static_cast<int64_t>(o);
    return finding;
  }
  if (auto fault = gradient_precision_fault(call)) return *fault;
  if (!tried) return skipped("no float64 output has enough telling values");
  return passed("float64 in, float64 precision out");
}

const RegisteredCheck precision_check({
    .name = "precision",
    .title = "precision",
    .meaning = "float64 is not computed in float32",
    .order = 110,
    .run = check_precision,
});

}  // namespace
}  // namespace opsmith
