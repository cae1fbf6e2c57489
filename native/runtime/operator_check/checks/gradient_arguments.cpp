#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"
#include "runtime/operator_check/other_arguments.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

// Whether forward does not use the argument. Then it changes the gradients only, as a clip does,
// and finite differences do not show what it asks for.
bool is_about_gradients(const OperatorCall& call, const OperatorCall& changed) {
  Tensors before, after;
  if (!call.try_run(call.fresh(), before).empty()) return true;
  if (!changed.try_run(changed.fresh(), after).empty()) return true;
  return !difference(after, before, "");
}

Finding choice_fault(const OperatorCall& call, const OtherArgument& choice) {
  return look_in_copy(choice.words, [&](const std::function<void()>& accept) -> Finding {
    const auto changed = call.with_argument(choice.place, choice.value);
    const auto given = gradient_case(changed, accept);
    if (!given.skip.empty()) return std::nullopt;
    const bool is_plain =
        choice.value.isBool() || choice.value.isDouble() || choice.value.isString();
    if (is_plain && is_about_gradients(call, changed)) return std::nullopt;
    if (choice.same) {
      const auto other = call.with_argument(choice.place, *choice.same);
      Tensors actual, expected;
      if (!changed.try_run(changed.fresh(), actual).empty()) return std::nullopt;
      if (!other.try_run(other.fresh(), expected).empty()) return std::nullopt;
      // What forward makes of it is for the checks of forward.
      if (difference(actual, expected, "")) return std::nullopt;
    }
    if (!given.fault.empty()) {
      return failed(choice.words + "forward runs, but backward throws: " + given.fault,
                    "Handle this argument in backward, or refuse it in forward (TORCH_CHECK).");
    }
    const auto mismatch = gradient_mismatch(given, given.inputs);
    if (!mismatch) return std::nullopt;
    return mismatch_finding(given, *mismatch, choice.words);
  });
}

OperatorCheckFinding check_gradient_arguments(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  const auto choices = other_arguments(call);
  if (choices.empty()) return skipped("no argument has another value that Opsmith can try");
  for (const auto& choice : choices) {
    if (auto fault = choice_fault(call, choice)) return *fault;
  }
  return passed("the gradients are right for all other argument values that Opsmith tried");
}

const RegisteredCheck gradient_arguments_check({
    .name = "gradient_arguments",
    .title = "gradient arguments",
    .meaning = "Gradients are also right if one argument is changed (a dim, flag, number, list or "
               "string), or if a bias that the call leaves out is given",
    .order = 55,
    .run = check_gradient_arguments,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
