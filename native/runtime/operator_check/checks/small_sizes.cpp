#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

OperatorCheckFinding check_small_sizes(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  std::vector<std::string> ran, refused;
  for (const int64_t size : {0, 1}) {
    const std::string name = size == 0 ? "empty tensors" : "tensors of one element";
    const auto given = call.map([&](const at::Tensor& tensor) {
      auto small = tensor.detach();
      for (int64_t dim = 0; dim < small.dim(); ++dim)
        small = small.narrow(dim, 0, std::min(size, small.size(dim)));
      return small.clone(at::MemoryFormat::Contiguous);
    });
    const auto outcome = run_forked(
        [&] {
          Tensors outputs;
          return call.try_run(given, outputs).empty() ? std::string("ran") : std::string("refused");
        },
        patience);
    if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
    if (outcome.end != ForkedOutcome::End::answered) {
      return failed("on " + name + ": " + outcome.describe(),
                    "Handle numel() == 0 (and sizes of 1) before anything is read.");
    }
    (outcome.answer == "ran" ? ran : refused).push_back(name);
  }
  return passed(
      (ran.empty() ? "" : "runs on " + joined(ran)) +
      (refused.empty() ? "" : (ran.empty() ? "" : "; ") + ("refuses " + joined(refused))));
}

const RegisteredCheck small_sizes_check({
    .name = "small_sizes",
    .title = "small sizes",
    .meaning = "No elements, one element",
    .order = 90,
    .run = check_small_sizes,
    .in_a_copy = true,
});

}  // namespace
}  // namespace opsmith
