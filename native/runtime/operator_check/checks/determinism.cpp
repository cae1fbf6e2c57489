#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <optional>

#include "runtime/operator_check/checks.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_determinism(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  at::manual_seed(0);
  const auto first = call.run(call.fresh());
  for (int again = 0; again < 3; ++again) {
    at::manual_seed(0);
    const auto outputs = call.run(call.fresh());
    for (size_t o = 0; o < first.size() && o < outputs.size(); ++o) {
      if (first[o].sizes() == outputs[o].sizes() && same_bits(first[o], outputs[o])) continue;
      auto finding =
          failed("two calls on the same input, after the same manual_seed, differ in output " +
                     std::to_string(o),
                 "Something is read that is no input: memory that nobody wrote, a static variable, "
                 "the order of threads, a random generator of its own.");
      finding.output = static_cast<int64_t>(o);
      if (const auto flat = first[o].sizes() == outputs[o].sizes()
                                ? first_difference(first[o], outputs[o])
                                : std::nullopt) {
        finding.index = index_of(first[o], *flat);
      }
      return finding;
    }
  }
  return passed(draws_random_numbers(call)
                    ? "the same after the same manual_seed; it draws random numbers"
                    : "four calls gave the same bits");
}

const RegisteredCheck determinism_check({
    .name = "determinism",
    .title = "determinism",
    .meaning = "The same input gives the same bits",
    .order = 70,
    .run = check_determinism,
    .other_shapes = true,
    .compares_calls = true,
    .makes_unrepeatable = "two calls differ as it is",
});

}  // namespace
}  // namespace opsmith
