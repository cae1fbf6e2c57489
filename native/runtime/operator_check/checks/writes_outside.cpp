#include <ATen/core/grad_mode.h>

#include <optional>
#include <string>

#include "runtime/operator_check/checking_allocator.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// Which tensor an address belongs to, by name.
std::string owner_of(const void* data, const OperatorCall& call, const Tensors& inputs,
                     const Tensors& outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].storage().data() == data) return call.tensors()[i].name;
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].has_storage() && outputs[o].storage().data() == data) {
      return "output " + std::to_string(o);
    }
  }
  return "";
}

// What backward writes outside of tensors. Where it ends the process, checks of gradients say so.
std::optional<OperatorCheckFinding> backward_fault(const OperatorCall& call) {
  const auto outcome = run_forked(
      [&]() -> std::string {
        const at::AutoGradMode recording(true);
        const CheckingAllocation checking(0);
        run_with_backward(call, call.fresh());
        const auto damages = checking.damages();
        if (damages.empty()) return "";
        const auto& damage = damages.front();
        const auto distance = damage.distance < 0
                                  ? bytes_text(-damage.distance) + " before the beginning of "
                                  : std::to_string(damage.distance) + " bytes past the end of ";
        return "backward wrote " + bytes_text(damage.count) + " out of bounds, " + distance +
               "a tensor of " + bytes_text(static_cast<int64_t>(damage.bytes));
      },
      patience);
  if (outcome.end != ForkedOutcome::End::answered || outcome.answer.empty()) return std::nullopt;
  return failed(outcome.answer,
                "Check the bounds of the loop in backward that writes to this tensor.");
}

OperatorCheckFinding check_writes_outside(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  const auto outcome = run_forked(
      [&]() -> std::string {
        const CheckingAllocation checking(0);
        const auto inputs = call.fresh();
        Tensors outputs;
        const auto error = call.try_run(inputs, outputs);
        for (const auto& damage : checking.damages()) {
          auto name = owner_of(damage.data, call, inputs, outputs);
          if (name.empty())
            name = "a temporary tensor of " + bytes_text(static_cast<int64_t>(damage.bytes));
          const auto where = damage.distance < 0
                                 ? bytes_text(-damage.distance) + " before the beginning of "
                                 : std::to_string(damage.distance) + " bytes past the end of ";
          return "the call wrote " + bytes_text(damage.count) + " out of bounds, " + where + name;
        }
        return "";
      },
      patience);
  if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
  if (outcome.end != ForkedOutcome::End::answered) {
    return ended(outcome, "the call ends in " + outcome.describe(),
                 "Check sizes, dtypes and indices with TORCH_CHECK before the operator reads or "
                 "writes memory.");
  }
  if (outcome.answer.empty()) {
    if (auto fault = backward_fault(call)) return *fault;
    return passed("nothing was written in the 4 KiB before and after each tensor");
  }
  return failed(outcome.answer, "Check the bounds of the loop that writes to this tensor.");
}

const RegisteredCheck writes_outside_check({
    .name = "writes_outside",
    .title = "writes outside",
    .meaning = "The operator does not write memory outside of its tensors",
    .order = 170,
    .run = check_writes_outside,
    .other_shapes = true,
    .makes_unsafe = true,
});

}  // namespace
}  // namespace opsmith
