#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/guarded_copy.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_reads_outside(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    if (call.tensors()[i].tensor.numel() == 0) continue;
    for (const bool at_end : {true, false}) {
      const GuardedCopy guarded(call.tensors()[i].tensor,
                                at_end ? GuardedCopy::End::last : GuardedCopy::End::first);
      if (!guarded.copy().defined()) return skipped("memory could not be mapped");
      auto given = call.fresh();
      given[i] = guarded.copy();
      const auto outcome = run_forked(
          [&]() -> std::string {
            Tensors outputs;
            return call.try_run(given, outputs);
          },
          patience);
      if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
      if (outcome.end != ForkedOutcome::End::signalled) continue;
      const auto distance = guarded.distance(outcome.address);
      if (distance.empty()) continue;
      const auto& name = call.tensors()[i].name;
      auto finding = ended(outcome, name + " is read (or written) " + distance,
                           "Check the bounds of the loop that reads " + name +
                               ": on other days this reads whatever lies there.");
      finding.input = name;
      return finding;
    }
  }
  return passed("no access within a page of any input's ends");
}

const RegisteredCheck reads_outside_check({
    .name = "reads_outside",
    .title = "reads outside",
    .meaning = "Nothing is read past an input's ends",
    .order = 180,
    .run = check_reads_outside,
    .other_shapes = true,
});

}  // namespace
}  // namespace opsmith
