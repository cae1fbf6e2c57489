#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

// One input, or one gradient, that lies next to pages that may not be touched.
struct Guarded {
  std::string name;
  std::unique_ptr<GuardedCopy> copy;
};

// A call with a guarded tensor.
struct GuardedCall {
  size_t guarded;              // its place in the list
  std::function<void()> call;  // must not throw
  std::string when;            // ", when all floating-point inputs are 10000"
  double seconds = patience;
};

std::unique_ptr<GuardedCopy> guarded_copy(const at::Tensor& tensor, bool at_end) {
  return std::make_unique<GuardedCopy>(tensor,
                                       at_end ? GuardedCopy::End::last : GuardedCopy::End::first);
}

// The first call that ends at the pages around its guarded tensor, or that could not be made.
std::optional<ForkedFind> first_fault(const std::vector<Guarded>& tensors,
                                      const std::vector<GuardedCall>& calls) {
  std::vector<ForkedWork> works;
  for (const auto& one : calls) {
    works.push_back({[&one]() -> std::string {
                       one.call();
                       return "";
                     },
                     one.seconds});
  }
  return find_forked(works, [&](size_t i, const ForkedOutcome& outcome) {
    return outcome.end == ForkedOutcome::End::signalled &&
           !tensors[calls[i].guarded].copy->distance(outcome.address).empty();
  });
}

// With one input guarded at each end, with the values as given and with each of `far_values` in all
// floating inputs.
std::optional<OperatorCheckFinding> input_reads_fault(const OperatorCall& call) {
  std::vector<Guarded> inputs;
  std::vector<GuardedCall> calls;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    if (tensor.numel() == 0) continue;
    for (const bool at_end : {true, false}) {
      inputs.push_back({call.tensors()[i].name, guarded_copy(tensor, at_end)});
      const auto guarded = inputs.back().copy->copy();
      if (!guarded.defined()) return skipped("memory could not be mapped");
      const auto with = [&call, guarded, i](std::optional<double> value) {
        return [&call, guarded, i, value] {
          auto given = call.fresh();
          given[i] = guarded;
          for (auto& one : given)
            if (value && one.is_floating_point()) one.fill_(*value);
          Tensors outputs;
          call.try_run(given, outputs);
        };
      };
      calls.push_back({inputs.size() - 1, with(std::nullopt), ""});
      for (const double value : far_values) {
        calls.push_back(
            {inputs.size() - 1, with(value),
             ", when all floating-point inputs are " + std::to_string(static_cast<int>(value)),
             patience_with_far_values});
      }
    }
  }
  const auto found = first_fault(inputs, calls);
  if (!found) return std::nullopt;
  if (found->outcome.end == ForkedOutcome::End::not_started)
    return skipped(found->outcome.describe());
  const auto& [guarded, made, when, seconds] = calls[found->at];
  const auto& [name, copy] = inputs[guarded];
  auto finding =
      ended(found->outcome,
            name + " is read (or written) " + copy->distance(found->outcome.address) + when,
            "Check the bounds of the loop that reads " + name +
                ": the loop reads memory that belongs to other data.");
  finding.input = name;
  return finding;
}

// What backward reads past the ends of grad_output.
std::optional<OperatorCheckFinding> gradient_reads_fault(const OperatorCall& call) {
  const CallWithGraph recorded([&call](const Tensors& given) { return call.run(given); },
                               call.fresh());
  if (!recorded.error().empty()) return std::nullopt;
  const auto grads = recorded.grad_outputs();
  std::vector<Guarded> outputs;
  std::vector<GuardedCall> calls;
  for (size_t o = 0; o < grads.size(); ++o) {
    if (grads[o].numel() == 0) continue;
    for (const bool at_end : {true, false}) {
      outputs.push_back({"grad_output", guarded_copy(grads[o], at_end)});
      auto given = grads;
      given[o] = outputs.back().copy->copy();
      if (!given[o].defined()) return std::nullopt;
      calls.push_back({outputs.size() - 1,
                       [&recorded, given = std::move(given)] { recorded.backward(given); }, ""});
    }
  }
  const auto found = first_fault(outputs, calls);
  if (!found || found->outcome.end == ForkedOutcome::End::not_started) return std::nullopt;
  const auto& copy = outputs[calls[found->at].guarded].copy;
  return ended(found->outcome,
               "backward reads (or writes) grad_output " + copy->distance(found->outcome.address),
               "Check the bounds of the loop in backward that reads grad_output.");
}

OperatorCheckFinding check_reads_outside(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const at::NoGradGuard unrecorded;
  if (auto fault = input_reads_fault(call)) return *fault;
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
