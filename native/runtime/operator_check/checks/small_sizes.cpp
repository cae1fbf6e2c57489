#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>

#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// An integer that counts elements, or is the place of one, asks for a size above it.
int64_t least_size(const OperatorCall& call, const Tensors& small, int64_t given) {
  int64_t least = 0;
  for (const int64_t integer : call.integers()) {
    if (integer > 1 && integer <= given) least = std::max(least, integer);
  }
  for (const auto& tensor : small) {
    if (!at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false) || tensor.numel() == 0)
      continue;
    const auto largest = tensor.to(at::kLong).max().item<int64_t>();
    if (largest > 0 && largest <= given) least = std::max(least, std::min(largest + 1, given));
  }
  return least;
}

}  // namespace

Tensors with_small_sizes(const OperatorCall& call, int64_t size) {
  const auto cut = [&](const at::Tensor& tensor, const Tensors& integers) {
    auto small = tensor.detach();
    for (int64_t dim = 0; dim < small.dim(); ++dim) {
      const int64_t given = small.size(dim);
      small = small.narrow(dim, 0, std::clamp(size, least_size(call, integers, given), given));
    }
    return small.clone(at::MemoryFormat::Contiguous);
  };
  // Cut once to see which integers are left, then with the sizes that these need.
  const auto plain = call.map([&](const at::Tensor& tensor) { return cut(tensor, {}); });
  return call.map([&](const at::Tensor& tensor) { return cut(tensor, plain); });
}

namespace {

OperatorCheckFinding check_small_sizes(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  std::vector<std::string> ran, refused;
  for (const int64_t size : {0, 1}) {
    const std::string name = size == 0 ? "empty tensors" : "tensors of one element";
    const auto given = with_small_sizes(call, size);
    const auto outcome = run_forked(
        [&] {
          Tensors outputs;
          return call.try_run(given, outputs).empty() ? std::string("ran") : std::string("refused");
        },
        patience);
    if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
    if (outcome.end != ForkedOutcome::End::answered) {
      return ended(
          outcome, "on " + name + ", the call ends in " + outcome.describe(),
          "Handle tensors without elements (numel() == 0) and sizes of 1 before you read data.");
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
    .meaning = "Empty tensors and tensors of one element cause no crash",
    .order = 90,
    .run = check_small_sizes,
});

}  // namespace
}  // namespace opsmith
