#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_broadcasting(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  const at::NoGradGuard unrecorded;
  bool tried = false, ran = false;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    bool has_partner = false;
    for (size_t other = 0; other < call.tensors().size(); ++other) {
      const auto& partner = call.tensors()[other].tensor;
      // Indices have shapes of their own.
      const bool is_index =
          (tensor.scalar_type() == at::kLong) != (partner.scalar_type() == at::kLong);
      has_partner = has_partner || (other != i && !is_index && partner.sizes() == tensor.sizes());
    }
    for (int64_t dim = 0; has_partner && dim < tensor.dim(); ++dim) {
      if (tensor.size(dim) < 2) continue;
      auto given = call.fresh(), plain = call.fresh();
      given[i] = given[i].detach().narrow(dim, 0, 1).contiguous();
      plain[i] = given[i].expand(tensor.sizes()).contiguous();
      const auto expected = call.run(plain);
      // Shapes that follow from the input's (a concatenation's) are no broadcast.
      if (expected.empty() || expected[0].sizes() != tensor.sizes()) continue;
      tried = true;
      // In a copy: a kernel that goes by the other input's size reads past the end of this one.
      const auto outcome = run_forked(
          [&]() -> std::string {
            Tensors actual;
            if (!call.try_run(given, actual).empty()) return "refused";
            // A product of square matrices takes another size for what it is.
            if (actual.empty() || actual[0].sizes() != expected[0].sizes()) return "refused";
            return finding_text(difference(actual, expected,
                                           "with " + call.tensors()[i].name +
                                               " broadcast along dimension " + std::to_string(dim) +
                                               ","));
          },
          patience);
      if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
      if (outcome.end == ForkedOutcome::End::answered && outcome.answer == "refused") continue;
      ran = true;
      if (outcome.end == ForkedOutcome::End::answered && outcome.answer.empty()) continue;
      const auto* advice =
          "Broadcast first (at::expand_outplace, TensorIterator), or check that the shapes are "
          "equal.";
      auto finding =
          outcome.end == ForkedOutcome::End::answered
              ? failed(outcome.answer, advice)
              : ended(outcome,
                      "with " + call.tensors()[i].name + " broadcast along dimension " +
                          std::to_string(dim) + ", the call ends in " + outcome.describe(),
                      advice);
      finding.input = call.tensors()[i].name;
      return finding;
    }
  }
  if (!tried)
    return skipped(
        "no two inputs have the shape of output 0 and a size above 1 (int64 indices do not count)");
  return passed(ran ? "inputs with a size of 1 give the same result as expanded inputs"
                    : "the operator refuses to broadcast");
}

const RegisteredCheck broadcasting_check({
    .name = "broadcasting",
    .title = "broadcasting",
    .meaning = "The operator broadcasts inputs with a size of 1, or refuses them",
    .order = 120,
    .run = check_broadcasting,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
