#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <optional>
#include <string>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// As `with torch.autocast("cpu", dtype=torch.bfloat16)`.
class Autocast {
 public:
  Autocast() {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
};

constexpr const char* leave_autocast =
    "Under autocast, the PyTorch operators that your operator calls may return bfloat16. Dispatch "
    "on the dtype of their results, or register an Autocast kernel that turns autocast off "
    "(c10::impl::ExcludeDispatchKeyGuard) and casts its inputs.";

// More than bfloat16's rounding, of inputs and of results on the way, explains.
std::string value_fault(const Tensors& actual, const Tensors& expected) {
  if (actual.size() != expected.size()) return "the number of outputs differs";
  for (size_t o = 0; o < actual.size(); ++o) {
    const auto name = "output " + std::to_string(o);
    if (actual[o].sizes() != expected[o].sizes()) return "the shape of " + name + " differs";
    if (!expected[o].is_floating_point() || expected[o].numel() == 0) continue;
    const auto left = actual[o].to(at::kDouble), right = expected[o].to(at::kDouble);
    const auto finite = right.masked_select(right.isfinite());
    const double largest = finite.numel() == 0 ? 0 : finite.abs().max().item<double>();
    const auto close = at::isclose(left, right, /*rtol=*/0.2, /*atol=*/0.1 * (largest + 1),
                                   /*equal_nan=*/true);
    if (close.all().item<bool>()) continue;
    const auto flat = close.logical_not().reshape(-1).to(at::kByte).argmax().item<int64_t>();
    return "element " + index_text(index_of(expected[o], flat)) + " of " + name + " is " +
           element_words(actual[o], flat) + ", but should be about " +
           element_words(expected[o], flat);
  }
  return "";
}

OperatorCheckFinding check_autocast(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (call.callable().function != nullptr)
    return skipped(
        "this check is only for operators: functions of the program use the autocast of "
        "TorchScript");
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  bool any_floating = false;
  for (const auto& tensor : call.values())
    any_floating = any_floating || tensor.is_floating_point();
  if (!any_floating) return skipped("no input has a floating-point dtype");
  // Autocast leaves float64 as it is.
  const auto in_float = [&] {
    return call.map([](const at::Tensor& tensor) {
      const auto wanted = tensor.is_floating_point() ? at::kFloat : tensor.scalar_type();
      return tensor.detach().to(wanted, /*non_blocking=*/false, /*copy=*/true);
    });
  };
  // What reads float32 wrongly, or ends the process, is another check's to say.
  const auto plain = run_forked(
      [&]() -> std::string {
        const auto given = call.map([](const at::Tensor& tensor) {
          const auto copy = tensor.detach().clone();
          return tensor.is_floating_point() ? copy.to(at::kFloat).to(at::kDouble) : copy;
        });
        Tensors expected, in_double;
        if (const auto error = call.try_run(in_float(), expected); !error.empty()) return error;
        if (call.try_run(given, in_double).empty() &&
            difference(expected, in_double, "", at::kFloat))
          return "the results in float32 differ from the results in float64";
        return "";
      },
      patience);
  if (plain.end == ForkedOutcome::End::not_started) return skipped(plain.describe());
  if (plain.end != ForkedOutcome::End::answered)
    return skipped("with float32 inputs, the call ends in " + plain.describe());
  if (!plain.answer.empty())
    return skipped("with float32 inputs and without autocast: " + plain.answer);
  const auto outcome = run_forked(
      [&]() -> std::string {
        Tensors expected, actual;
        if (!call.try_run(in_float(), expected).empty()) return "";
        const Autocast enabled;
        if (const auto error = call.try_run(in_float(), actual); !error.empty())
          return "the call throws: " + error;
        return value_fault(actual, expected);
      },
      patience);
  if (outcome.end != ForkedOutcome::End::answered)
    return ended(outcome, "under autocast, the call ends in " + outcome.describe(), leave_autocast);
  if (!outcome.answer.empty()) return failed("under autocast, " + outcome.answer, leave_autocast);
  return passed(
      "the result under autocast to bfloat16 is the same as without autocast, except for rounding");
}

const RegisteredCheck autocast_check({
    .name = "autocast",
    .title = "autocast",
    .meaning = "The results under autocast are the same as without autocast, except for rounding",
    .order = 142,
    .run = check_autocast,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
