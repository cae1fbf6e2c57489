#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>

#include <chrono>
#include <thread>

#include "runtime/opcheck/checks.h"
#include "runtime/opcheck/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {

OpcheckFinding check_grad_modes(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const auto expected = call.run(call.fresh());
  const auto compare = [&](const Tensors& outputs, const std::string& when) {
    return difference(outputs, expected, when);
  };
  {
    const at::NoGradGuard unrecorded;
    Tensors outputs;
    const auto error = call.try_run(call.fresh(), outputs);
    if (!error.empty()) return failed("under no_grad: " + error);
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (!outputs[o].requires_grad() || outputs[o].is_leaf()) continue;
      auto finding = failed("under no_grad, output " + std::to_string(o) + " has a graph",
                            "Do not turn gradients on inside a kernel.");
      finding.output = static_cast<int64_t>(o);
      return finding;
    }
    if (auto finding = compare(outputs, "under no_grad")) return *finding;
  }
  {
    const c10::InferenceMode inference;
    const auto given = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
    Tensors outputs;
    const auto error = call.try_run(given, outputs);
    if (!error.empty()) return failed("under inference_mode: " + error);
    if (auto finding = compare(outputs, "under inference_mode")) return *finding;
  }
  std::vector<size_t> floating;
  for (size_t i = 0; i < call.tensors().size() && floating.size() < 4; ++i) {
    if (is_differentiable_type(call.tensors()[i].tensor)) floating.push_back(i);
  }
  for (size_t subset = 0; subset < (size_t{1} << floating.size()); ++subset) {
    auto given = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
    std::vector<std::string> names;
    for (size_t bit = 0; bit < floating.size(); ++bit) {
      if ((subset >> bit & 1) == 0) continue;
      given[floating[bit]].requires_grad_();
      names.push_back(call.tensors()[floating[bit]].name);
    }
    const auto when = names.empty() ? std::string("when no input requires grad")
                                    : "when " + joined(names) + " require grad";
    Tensors outputs;
    const auto error = call.try_run(given, outputs);
    // Written in place, a leaf that requires grad is refused by autograd itself.
    if (!error.empty() && error.find("leaf") == std::string::npos)
      return failed(when + ": " + error);
    if (!error.empty()) continue;
    if (auto finding = compare(outputs, when)) return *finding;
  }
  return passed(
      "same answers with gradients, under no_grad, under inference_mode, and whichever "
      "inputs require grad");
}

OpcheckFinding check_threads(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  using Clock = std::chrono::steady_clock;
  constexpr int count = 4;
  constexpr auto long_enough = std::chrono::milliseconds(300);
  const auto expected = call.run(call.fresh());
  const auto outcome = run_forked(
      [&]() -> std::string {
        std::vector<std::string> answers(count);
        std::vector<std::thread> threads;
        for (int t = 0; t < count; ++t) {
          threads.emplace_back(
              [&call, &expected, long_enough, &answer = answers[static_cast<size_t>(t)]] {
                const at::NoGradGuard unrecorded_too;
                const auto end = Clock::now() + long_enough;
                while (answer.empty() && Clock::now() < end) {
                  Tensors outputs;
                  answer = call.try_run(call.fresh(), outputs);
                  if (answer.empty()) answer = finding_text(difference(outputs, expected, "then"));
                }
              });
        }
        for (auto& thread : threads)
          thread.join();
        for (const auto& answer : answers) {
          if (!answer.empty()) return answer;
        }
        return "";
      },
      patience);
  if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
  if (outcome.end != ForkedOutcome::End::answered) {
    return failed("called from four threads at once: " + outcome.describe(),
                  "Share nothing between calls that is not const or locked.");
  }
  if (!outcome.answer.empty()) {
    return failed(
        "called from four threads at once: " + outcome.answer,
        "Share nothing between calls that is not const or locked: static buffers, caches, "
        "generators.");
  }
  return passed("four threads at once gave the same as one");
}

}  // namespace opsmith
