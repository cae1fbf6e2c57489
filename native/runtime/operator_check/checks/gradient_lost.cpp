#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/function.h>

#include "runtime/operator_check/checks.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_gradient_lost(const OperatorCall& call) {
  const auto inputs = call.fresh();
  const auto differentiable = differentiable_inputs(inputs);
  if (differentiable.empty()) return skipped("no input requires grad");
  const auto outputs = call.run(inputs);
  bool any = false;
  for (const auto& output : outputs) {
    if (!output.is_floating_point() && !output.is_complex()) continue;
    any = true;
    const auto node = output.grad_fn();
    // libtorch's fallback for operators without an autograd kernel: it warns, and gives nothing.
    if (node && node->name().find("NotImplemented") == std::string::npos) {
      return passed("an output requires grad");
    }
  }
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (!any) return skipped("no output has a floating-point or complex dtype");
  // One input at a time: the finding names the one that an output depends on.
  for (const size_t index : differentiable) {
    auto changed = call.fresh();
    {
      const at::NoGradGuard unrecorded;
      changed[index].add_(0.125);
    }
    const auto others = call.run(changed);
    for (size_t o = 0; o < outputs.size() && o < others.size(); ++o) {
      if (outputs[o].sizes() == others[o].sizes() && same_bits(outputs[o], others[o])) continue;
      auto finding =
          failed("output " + std::to_string(o) + " depends on " + call.names()[index] +
                     ", which requires grad, but the output does not require grad: training would "
                     "silently miss this gradient",
                 "Register an autograd kernel, or add the operator and its backward function to "
                 "`autograd` in opsmith.json.");
      finding.output = static_cast<int64_t>(o);
      return finding;
    }
  }
  return passed("the outputs do not change if the inputs that require grad change");
}

const RegisteredCheck gradient_lost_check({
    .name = "gradient_lost",
    .title = "gradient lost",
    .meaning = "If an output depends on an input that requires grad, the output also requires grad",
    .order = 50,
    .run = check_gradient_lost,
});

}  // namespace
}  // namespace opsmith
