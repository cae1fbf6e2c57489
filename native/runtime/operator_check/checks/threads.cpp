#include <ATen/core/grad_mode.h>

#include <chrono>
#include <thread>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"
#include "runtime/virtual_device.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_threads(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (observes_kernels())
    return skipped(
        "while the virtual GPU checks kernels or counts their memory accesses, only one host "
        "thread at a time can launch kernels");
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
                  if (answer.empty())
                    answer = finding_text(difference(outputs, expected, "in one call,"));
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
    return ended(outcome,
                 "with calls from four threads at once, the process ends in " + outcome.describe(),
                 "Share only const or locked data between calls.");
  }
  if (!outcome.answer.empty()) {
    return failed("with calls from four threads at once: " + outcome.answer,
                  "Share only const or locked data between calls: check static buffers, caches and "
                  "generators.");
  }
  return passed("four threads at once gave the same result as one thread");
}

const RegisteredCheck threads_check({
    .name = "threads",
    .title = "threads",
    .meaning = "The results are the same if several threads call the operator at the same time",
    .order = 150,
    .run = check_threads,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
