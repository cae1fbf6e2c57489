#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include "runtime/operator_check/checks.h"

namespace opsmith {
namespace {

OperatorCheckFinding check___snake__(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  const auto outputs = call.run(call.fresh());
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o].is_floating_point() || at::isfinite(outputs[o]).all().item<bool>()) continue;
    auto finding = failed("output " + std::to_string(o) + " is not finite",
                          "Say here what to change in the operator.");
    finding.output = static_cast<int64_t>(o);
    return finding;
  }
  return passed("every output is finite");
}

const RegisteredCheck registered___snake__({
    .name = "__snake__",
    .title = "__title__",
    .meaning = "Every element of the outputs is finite",
    .order = 1000,
    .run = check___snake__,
});

}  // namespace
}  // namespace opsmith
