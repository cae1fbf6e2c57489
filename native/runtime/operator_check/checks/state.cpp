#include <ATen/autocast_mode.h>
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>

#include <cfenv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dtypes.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/other_calls.h"

namespace opsmith {
namespace {

// What a thread's other calls go by, each by its name and in words.
using CallState = std::vector<std::pair<std::string, std::string>>;

std::string rounding_words() {
  switch (std::fegetround()) {
    case FE_TONEAREST:
      return "to nearest";
    case FE_UPWARD:
      return "upward";
    case FE_DOWNWARD:
      return "downward";
    default:
      return "towards zero";
  }
}

bool flushes_to_zero() {
  const volatile double smallest = std::numeric_limits<double>::min();
  const volatile double half = smallest / 2;
  return half == 0;
}

CallState state_now() {
  const auto on = [](bool is_on) { return std::string(is_on ? "on" : "off"); };
  return {
      {"the rounding mode", rounding_words()},
      {"flush-to-zero of subnormal numbers", on(flushes_to_zero())},
      {"grad mode", on(at::GradMode::is_enabled())},
      {"inference mode", on(c10::InferenceMode::is_enabled())},
      {"autocast", on(at::autocast::is_autocast_enabled(at::kCPU))},
      {"the default dtype", dtype_name(c10::get_default_dtype_as_scalartype())},
      {"the number of threads", std::to_string(at::get_num_threads())},
      {"deterministic algorithms", on(at::globalContext().deterministicAlgorithms())},
  };
}

// An operator may draw from the default generator; one that seeds it makes all that draw after it
// repeat themselves.
std::optional<OperatorCheckFinding> reseeding_fault(const OperatorCall& call) {
  std::vector<at::Tensor> states;
  for (const uint64_t seed : {11, 12}) {
    at::manual_seed(seed);
    call.run(call.fresh());
    const auto generator = at::globalContext().defaultGenerator(at::kCPU);
    states.push_back(generator.get_state());
  }
  if (!at::equal(states[0], states[1])) return std::nullopt;
  return failed(
      "the call seeds libtorch's default generator: after the call, the state of the generator "
      "does not depend on an earlier manual_seed",
      "Do not seed the default generator: draw from it as it is, or create your own generator "
      "(at::detail::createCPUGenerator).");
}

// What differs from the state before; `when` begins the sentence.
std::optional<OperatorCheckFinding> state_fault(const CallState& before, const std::string& when) {
  const auto after = state_now();
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].second == after[i].second) continue;
    return failed(when + ", " + before[i].first + " is " + after[i].second + ", not " +
                      before[i].second + " as before the call",
                  "Use a guard that restores this state, even if the call throws, because later "
                  "calls depend on this state.");
  }
  return std::nullopt;
}

OperatorCheckFinding check_state(const OperatorCall& call) {
  const auto before = state_now();
  call.run(call.fresh());
  if (auto fault = state_fault(before, "after the call")) return *fault;
  run_with_backward(call, call.fresh());
  if (auto fault = state_fault(before, "after backward")) return *fault;
  if (auto fault = reseeding_fault(call)) return *fault;
  return passed(
      "rounding mode, grad mode, number of threads, default dtype and seed are the same as before "
      "the call");
}

const RegisteredCheck state_check({
    .name = "state",
    .title = "state",
    .meaning = "A call does not change the rounding mode, grad mode, number of threads, default "
               "dtype or seed",
    .order = 145,
    .run = check_state,
});

}  // namespace
}  // namespace opsmith
