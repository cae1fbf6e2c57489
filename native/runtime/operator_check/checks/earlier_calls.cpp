#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/failure.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/finding_text.h"
#include "runtime/operator_check/other_calls.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

constexpr const char* keep_nothing =
    "The result is right in a process without earlier calls. Do not keep data of a call for later "
    "calls, such as a static tensor or buffer, or a cache whose key is an address or a shape.";

// A call with other values, sizes or dtypes, and what it gives in a process that made no other.
struct OtherCall {
  std::string words;
  Tensors inputs;
  std::optional<Tensors> alone;  // nullopt where it is refused, or ends its process
};

OtherCall other_call(const OperatorCall& call, std::string words, Tensors inputs) {
  OtherCall other{std::move(words), std::move(inputs), std::nullopt};
  const auto outcome = run_forked(
      [&]() -> std::string {
        try {
          return "A" + packed_tensors(results_of(call, clones_of(other.inputs)));
        } catch (...) {
          return "";
        }
      },
      patience);
  if (outcome.end == ForkedOutcome::End::answered && !outcome.answer.empty())
    other.alone = unpacked_tensors(outcome.answer.substr(1));
  return other;
}

// Freed memory is given out again: to `count` blocks of about these bytes, all filled.
void use_freed_memory(size_t bytes) {
  constexpr int count = 16;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (int i = 0; i < count; ++i) {
    const size_t size = bytes + static_cast<size_t>(i % 4) * 16;
    blocks.push_back(std::make_unique<char[]>(size + 1));
    std::memset(blocks.back().get(), 0x5A, size);
  }
}

// What float64 outputs differ by more than the order of additions explains: that of a number
// computed in float32 is less than other checks look at.
std::optional<OperatorCheckFinding> difference_in_double(const Tensors& actual,
                                                         const Tensors& expected,
                                                         const std::string& when) {
  for (size_t o = 0; o < actual.size() && o < expected.size(); ++o) {
    if (actual[o].scalar_type() != at::kDouble || actual[o].sizes() != expected[o].sizes())
      continue;
    const auto finite = expected[o].masked_select(expected[o].isfinite());
    const double largest = finite.numel() == 0 ? 0 : finite.abs().max().item<double>();
    const auto wrong = at::isclose(actual[o], expected[o], /*rtol=*/1e-11, /*atol=*/1e-11 * largest,
                                   /*equal_nan=*/true)
                           .logical_not();
    if (!wrong.any().item<bool>()) continue;
    const auto flat = wrong.reshape(-1).to(at::kByte).argmax().item<int64_t>();
    auto finding =
        failed(when + " element " + index_text(index_of(actual[o], flat)) + " of output " +
               std::to_string(o) + " is " + element_words(actual[o], flat) + ", not " +
               element_words(expected[o], flat));
    finding.output = static_cast<int64_t>(o);
    finding.index = index_of(actual[o], flat);
    return finding;
  }
  return std::nullopt;
}

// The first call's outputs belong to its caller, whatever is called after it.
std::optional<OperatorCheckFinding> kept_fault(const OperatorCall& call, const OtherCall& other) {
  const auto outputs = call.run(clones_of(call.values()));
  const auto kept = clones_of(outputs);
  Tensors ignored;
  call.try_run(clones_of(other.inputs), ignored);
  for (const auto& output : outputs)
    use_freed_memory(output.nbytes());
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto flat = first_difference(outputs[o], kept[o]);
    if (!flat) continue;
    auto finding = failed(
        "element " + index_text(index_of(outputs[o], *flat)) + " of output " + std::to_string(o) +
            " changes after the call, as soon as the operator runs again or memory is allocated",
        "Return a tensor that owns its memory. Do not return a static buffer, or from_blob() of "
        "memory that the function frees.");
    finding.output = static_cast<int64_t>(o);
    finding.index = index_of(outputs[o], *flat);
    return finding;
  }
  return std::nullopt;
}

// Calls `first`, then `second`, which gives what it gives alone.
std::optional<OperatorCheckFinding> order_fault(const OperatorCall& call, const OtherCall& first,
                                                const OtherCall& second) {
  if (!first.alone || !second.alone) return std::nullopt;
  const auto when =
      "after a call with " + first.words + ", a call with " + second.words + " is wrong:";
  const auto outcome = run_forked(
      [&]() -> std::string {
        try {
          Tensors ignored;
          call.try_run(clones_of(first.inputs), ignored);
        } catch (...) {
          return "";
        }
        std::string error;
        try {
          const auto actual = results_of(call, clones_of(second.inputs));
          auto finding = difference(actual, *second.alone, when);
          if (!finding) finding = difference_in_double(actual, *second.alone, when);
          return finding ? packed(*finding) : "";
        } catch (...) {
          error = brief(describe_current_exception().message);
        }
        return packed(failed(when + " " + error));
      },
      patience);
  if (outcome.ended())
    return ended(outcome, when + " the call ends in " + outcome.describe(), keep_nothing);
  if (outcome.end != ForkedOutcome::End::answered || outcome.answer.empty()) return std::nullopt;
  auto finding = unpacked(outcome.answer);
  finding.advice = keep_nothing;
  return finding;
}

OperatorCheckFinding check_earlier_calls(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  if (call.tensors().empty()) return skipped("no argument is a tensor");
  const at::NoGradGuard unrecorded;
  const auto given = other_call(call, "the given inputs", clones_of(call.values()));
  if (!given.alone) return skipped("the operator refuses the call");
  const auto values = other_call(call, "other values", call.map([](const at::Tensor& tensor) {
    const auto copy = tensor.detach().clone();
    const bool is_number = tensor.is_floating_point() || tensor.is_complex();
    return is_number ? copy.mul(-0.5).add(0.125) : copy;
  }));
  const auto small = other_call(call, "smaller sizes", with_small_sizes(call, 2));
  const auto other_dtype = other_call(call, "another dtype", call.map([](const at::Tensor& tensor) {
    const auto wanted = tensor.scalar_type() == at::kFloat    ? at::kDouble
                        : tensor.scalar_type() == at::kDouble ? at::kFloat
                                                              : tensor.scalar_type();
    return tensor.detach().to(wanted, /*non_blocking=*/false, /*copy=*/true);
  }));
  const OtherCall* orders[][2] = {
      {&given, &values}, {&given, &small}, {&small, &given}, {&other_dtype, &given}};
  for (const auto& [first, second] : orders) {
    if (auto fault = order_fault(call, *first, *second)) return *fault;
  }
  if (auto fault = found_in_copy([&] { return kept_fault(call, values); })) return *fault;
  return passed(
      "after calls with other values, sizes and dtypes, the result is the same as without earlier "
      "calls");
}

const RegisteredCheck earlier_calls_check({
    .name = "earlier_calls",
    .title = "earlier calls",
    .meaning = "The result does not depend on earlier calls",
    .order = 75,
    .run = check_earlier_calls,
    .compares_calls = true,
    .can_shrink = false,
});

}  // namespace
}  // namespace opsmith
