#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <iomanip>
#include <sstream>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/rounding_steps.h"

namespace opsmith {
namespace {

// The different values that an output has in several calls: one call of a reduction gives too few
// to see their precision.
at::Tensor with_other_draws(const OperatorCall& call, const Tensors& in_double, size_t output) {
  constexpr int draws = 8;
  Tensors values;
  for (int turn = 0; turn < draws; ++turn) {
    Tensors drawn;
    for (const auto& tensor : in_double)
      drawn.push_back(tensor.is_floating_point() ? tensor * (1 + 0.1371 * turn) : tensor.clone());
    Tensors outputs;
    if (!call.try_run(drawn, outputs).empty() || outputs.size() <= output) continue;
    if (outputs[output].scalar_type() != at::kDouble) continue;
    values.push_back(outputs[output].reshape(-1));
  }
  if (values.empty()) return at::empty({0}, at::kDouble);
  return std::get<0>(at::_unique(at::cat(values)));
}

bool fit_float32(const Tensors& tensors) {
  for (const auto& tensor : tensors) {
    if (tensor.scalar_type() == at::kDouble &&
        at::equal(tensor.to(at::kFloat).to(at::kDouble), tensor)) {
      return true;
    }
  }
  return false;
}

constexpr const char* compute_in_given_dtype =
    "Compute in the dtype of the inputs: look for float, expf, 1.0f and casts.";

// What is scaled, in words, and the call that has it scaled. No call_at: the tensors are scaled.
struct ScaledCall {
  std::string moved;  // "the inputs change", "alpha changes"
  int64_t numbers;
  std::function<OperatorCall(double)> call_at;  // t: it is scaled by 1 + t
};

// All floating tensors at once, then each argument that is a number.
std::vector<ScaledCall> scaled_calls(const OperatorCall& call) {
  std::vector<ScaledCall> scaled;
  int64_t numbers = 0;
  for (const auto& tensor : call.values())
    if (tensor.is_floating_point()) numbers += tensor.numel();
  if (numbers > 0) scaled.push_back({"the inputs change", numbers, nullptr});
  const auto& schema = call.callable().schema.arguments();
  for (size_t i = 0; i < call.arguments().size() && i < schema.size(); ++i) {
    const auto& value = call.arguments()[i];
    if (!value.isDouble() || value.toDouble() == 0 || !std::isfinite(value.toDouble())) continue;
    scaled.push_back({schema[i].name() + " changes", 1, [&call, i](double t) {
                        const double given = call.arguments()[i].toDouble();
                        return call.with_argument(i, given * (1 + t));
                      }});
  }
  return scaled;
}

std::optional<OperatorCheckFinding> partly_in_float32(const OperatorCall& call,
                                                      const Tensors& in_double) {
  for (const auto& direction : scaled_calls(call)) {
    const auto outputs_along = [&](double t) -> std::optional<Tensors> {
      Tensors given;
      for (const auto& tensor : in_double) {
        const bool is_moved = !direction.call_at && tensor.is_floating_point();
        given.push_back(is_moved ? tensor * (1 + t) : tensor.clone());
      }
      Tensors outputs;
      const auto error = direction.call_at ? direction.call_at(t).try_run(given, outputs)
                                           : call.try_run(given, outputs);
      if (!error.empty()) return std::nullopt;
      // Copies: the operator may give the same memory each time.
      for (auto& output : outputs)
        output = output.detach().clone();
      return outputs;
    };
    const auto step = rounding_step(outputs_along, direction.numbers);
    if (!step) continue;
    const auto at_given = outputs_along(0);
    const auto& output = (*at_given)[step->output];
    const auto index = index_of(output, step->flat);
    std::ostringstream size;
    size << std::setprecision(1) << std::scientific << step->relative;
    auto finding =
        failed("element " + index_text(index) + " of output " + std::to_string(step->output) +
                   " changes in relative steps of " + size.str() + " while " + direction.moved +
                   ": a part of the computation is in float32",
               compute_in_given_dtype);
    finding.output = static_cast<int64_t>(step->output);
    finding.index = index;
    return finding;
  }
  return std::nullopt;
}

OperatorCheckFinding check_precision(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  const auto in_double = call.map([](const at::Tensor& tensor) {
    const auto copy = tensor.detach().clone();
    return copy.is_floating_point() ? copy.to(at::kDouble) : copy;
  });
  Tensors outputs;
  Tensors given;
  for (const auto& tensor : in_double)
    given.push_back(tensor.clone());
  if (const auto error = call.try_run(given, outputs); !error.empty()) {
    return skipped("the operator does not accept float64: " + error);
  }
  std::string reason = "no output has dtype float64";
  bool tried = false;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].scalar_type() != at::kDouble) continue;
    auto precision = computed_precision(outputs[o]);
    const bool needs_draws = !precision && !draws_random_numbers(call);
    if (needs_draws) precision = computed_precision(with_other_draws(call, in_double, o));
    reason = "the results are too few or too simple to show whether they were computed in float64";
    if (!precision) continue;
    tried = true;
    if (*precision == at::kDouble) continue;
    // An operator that only moves numbers gives what it was given.
    if (!needs_draws && fit_float32(in_double)) continue;
    auto finding = failed("every element of output " + std::to_string(o) +
                              " fits float32 exactly: the operator computes float64 results in "
                              "float32",
                          compute_in_given_dtype);
    finding.output = static_cast<int64_t>(o);
    return finding;
  }
  if (auto fault = gradient_precision_fault(call)) return *fault;
  if (!draws_random_numbers(call)) {
    if (auto fault = partly_in_float32(call, in_double)) return *fault;
  }
  if (!tried) return skipped(reason);
  return passed("float64 inputs give results with float64 precision");
}

const RegisteredCheck precision_check({
    .name = "precision",
    .title = "precision",
    .meaning = "If the inputs are float64, the operator computes in float64, not in float32",
    .order = 110,
    .run = check_precision,
});

}  // namespace
}  // namespace opsmith
