#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <iterator>
#include <optional>
#include <vector>

#include "runtime/operator_check/call_with_graph.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/guarded_copy.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// A network that was not trained yet may give positions, boxes and thresholds as large as these.
constexpr double far_values[] = {1e4, -1e4};
constexpr double patience_with_far_values = 5;

// Calls with one input next to pages that may not be touched.
class GuardedCall {
 public:
  GuardedCall(const OperatorCall& call, size_t input, bool at_end)
      : call_(call),
        input_(input),
        guarded_(call.tensors()[input].tensor,
                 at_end ? GuardedCopy::End::last : GuardedCopy::End::first) {}

  bool has_memory() const { return guarded_.copy().defined(); }

  // `value`: of every element of a floating input; nullopt for the values as given.
  std::optional<OperatorCheckFinding> fault(std::optional<double> value) const {
    auto given = call_.fresh();
    given[input_] = guarded_.copy();
    const auto outcome = run_forked(
        [&]() -> std::string {
          for (auto& tensor : given)
            if (value && tensor.is_floating_point()) tensor.fill_(*value);
          Tensors outputs;
          return call_.try_run(given, outputs);
        },
        value ? patience_with_far_values : patience);
    if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
    if (outcome.end != ForkedOutcome::End::signalled) return std::nullopt;
    const auto distance = guarded_.distance(outcome.address);
    if (distance.empty()) return std::nullopt;
    const auto& name = call_.tensors()[input_].name;
    const auto when =
        value ? ", when all floating inputs are " + std::to_string(static_cast<int>(*value)) : "";
    auto finding = ended(outcome, name + " is read (or written) " + distance + when,
                         "Check the bounds of the loop that reads " + name +
                             ": the loop reads memory that belongs to other data.");
    finding.input = name;
    return finding;
  }

 private:
  const OperatorCall& call_;
  size_t input_;
  GuardedCopy guarded_;
};

// What backward reads past the ends of grad_output.
std::optional<OperatorCheckFinding> gradient_reads_fault(const OperatorCall& call) {
  const CallWithGraph recorded([&call](const Tensors& given) { return call.run(given); },
                               call.fresh());
  if (!recorded.error().empty()) return std::nullopt;
  const auto grads = recorded.grad_outputs();
  for (size_t o = 0; o < grads.size(); ++o) {
    if (grads[o].numel() == 0) continue;
    for (const auto end : {GuardedCopy::End::last, GuardedCopy::End::first}) {
      const GuardedCopy guarded(grads[o], end);
      if (!guarded.copy().defined()) return std::nullopt;
      auto given = grads;
      given[o] = guarded.copy();
      const auto outcome = run_forked(
          [&]() -> std::string {
            recorded.backward(given);
            return "";
          },
          patience);
      if (outcome.end != ForkedOutcome::End::signalled) continue;
      const auto distance = guarded.distance(outcome.address);
      if (distance.empty()) continue;
      return ended(outcome, "backward reads (or writes) grad_output " + distance,
                   "Check the bounds of the loop in backward that reads grad_output.");
    }
  }
  return std::nullopt;
}

OperatorCheckFinding check_reads_outside(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  std::vector<std::optional<double>> values{std::nullopt};
  values.insert(values.end(), std::begin(far_values), std::end(far_values));
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    if (call.tensors()[i].tensor.numel() == 0) continue;
    for (const bool at_end : {true, false}) {
      const GuardedCall guarded(call, i, at_end);
      if (!guarded.has_memory()) return skipped("memory could not be mapped");
      for (const auto& value : values) {
        if (auto fault = guarded.fault(value)) return *fault;
      }
    }
  }
  if (auto fault = gradient_reads_fault(call)) return *fault;
  return passed("no access within one page before or after an input");
}

const RegisteredCheck reads_outside_check({
    .name = "reads_outside",
    .title = "reads outside",
    .meaning = "The operator does not read memory outside of the inputs",
    .order = 180,
    .run = check_reads_outside,
    .other_shapes = true,
});

}  // namespace
}  // namespace opsmith
