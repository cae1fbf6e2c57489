#include <ATen/Functions.h>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

class Subsets {
 public:
  explicit Subsets(const GradientCase& given)
      : given_(given), all_(given.function, leaves_of(given.inputs, given.wanted)) {
    if (const auto gradients = all_.backward(all_.grad_outputs())) expected_ = *gradients;
  }

  size_t outputs() const { return all_.outputs().size(); }

  Finding of_inputs(const std::vector<size_t>& chosen) const {
    std::vector<std::string> names;
    std::vector<size_t> wanted;
    Tensors expected;
    for (const size_t place : chosen) {
      wanted.push_back(given_.wanted[place]);
      names.push_back(given_.names[given_.wanted[place]]);
      expected.push_back(expected_[place]);
    }
    const auto where =
        "when only " + joined(names) + (names.size() > 1 ? " require" : " requires") + " grad: ";
    const CallWithGraph recorded(given_.function, leaves_of(given_.inputs, wanted));
    if (!recorded.error().empty()) return std::nullopt;  // forward is looked at by grad modes
    std::string error;
    const auto gradients = recorded.backward(recorded.grad_outputs(), &error);
    if (!error.empty()) {
      return failed(where + "backward throws: " + error,
                    "Check ctx->needs_input_grad(i) before you compute a gradient, and return an "
                    "undefined tensor for each input that does not need a gradient.");
    }
    const auto actual = gradients.value_or(Tensors(wanted.size()));
    return compared(actual, expected, wanted, where, "when all inputs require grad");
  }

  // The gradients of the other outputs are undefined then, as where a loss does not use them.
  Finding of_output(size_t output) const {
    const auto where = "when only output " + std::to_string(all_.places()[output]) + " is used: ";
    auto zeros = all_.grad_outputs();
    for (size_t o = 0; o < zeros.size(); ++o) {
      if (o != output) zeros[o].zero_();
    }
    std::string error;
    const auto expected = all_.backward(zeros, &error);
    if (!expected) return std::nullopt;
    const auto actual = all_.backward_from(output, all_.grad_outputs()[output], &error);
    if (!error.empty()) {
      return failed(where + "backward throws: " + error,
                    "If you call ctx->set_materialize_grads(false), test grads[i].defined() before "
                    "you use grads[i].");
    }
    if (!actual) return std::nullopt;
    return compared(*actual, *expected, given_.wanted, where,
                    "if the other outputs get a grad_output of zeros instead of none,");
  }

 private:
  Finding compared(const Tensors& actual, const Tensors& expected,
                   const std::vector<size_t>& wanted, const std::string& where,
                   const std::string& reference) const {
    const double tolerance = given_.fineness.epsilon > double_fineness.epsilon ? 1e-3 : 1e-6;
    const auto mismatch =
        gradient_difference(defined_gradients(actual, given_.inputs, wanted),
                            defined_gradients(expected, given_.inputs, wanted), wanted, tolerance);
    if (!mismatch) return std::nullopt;
    auto finding = mismatch_finding(given_, *mismatch, where, reference);
    finding.advice =
        "A gradient must not depend on which other gradients are needed: check the code that "
        "backward skips if a gradient is not needed, and the order in which backward returns the "
        "gradients.";
    return finding;
  }

  const GradientCase& given_;
  CallWithGraph all_;
  Tensors expected_;
};

OperatorCheckFinding check_gradient_subsets(const OperatorCall& call) {
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (!given.fault.empty()) return skipped("backward throws: " + given.fault);
  const Subsets subsets(given);
  const size_t inputs = given.wanted.size();
  if (inputs < 2 && subsets.outputs() < 2) return skipped("there is only one gradient");
  // Of many inputs each by itself, and each left out.
  constexpr size_t few = 4;
  std::vector<std::vector<size_t>> chosen;
  for (size_t subset = 1; inputs <= few && subset + 1 < (size_t{1} << inputs); ++subset) {
    auto& places = chosen.emplace_back();
    for (size_t i = 0; i < inputs; ++i) {
      if ((subset >> i & 1) != 0) places.push_back(i);
    }
  }
  for (size_t one = 0; inputs > few && one < inputs; ++one) {
    chosen.push_back({one});
    auto& others = chosen.emplace_back();
    for (size_t i = 0; i < inputs; ++i) {
      if (i != one) others.push_back(i);
    }
  }
  for (const auto& places : chosen) {
    if (auto fault = subsets.of_inputs(places)) return *fault;
  }
  for (size_t output = 0; subsets.outputs() > 1 && output < subsets.outputs(); ++output) {
    if (auto fault = subsets.of_output(output)) return *fault;
  }
  return passed(
      "the gradients are the same, no matter which inputs require grad and which output is used");
}

const RegisteredCheck gradient_subsets_check({
    .name = "gradient_subsets",
    .title = "gradient subsets",
    .meaning = "Gradients are right when only some of the inputs require grad, and when only one "
               "output is used",
    .order = 57,
    .run = check_gradient_subsets,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
