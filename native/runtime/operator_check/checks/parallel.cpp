#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/clock.h"
#include "runtime/operator_check/call_with_graph.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/finding_text.h"
#include "runtime/operator_check/other_calls.h"
#include "runtime/process/forked_call.h"
#include "runtime/process/shared_value.h"

namespace opsmith {
namespace {

constexpr int64_t least_large = (1 << 16) + 4465;
constexpr int64_t most_large = 1 << 21;
constexpr int many_threads = 4;
// A race that goes wrong once in 50 calls stays unseen in 228 with a chance of 1 %.
constexpr int calls_for_a_race = 228;
constexpr auto patience_of_races = std::chrono::milliseconds(1500);
// Where no other thread works there is no race, but a call may still go wrong now and then.
constexpr auto patience_without_threads = std::chrono::milliseconds(300);
constexpr double patience_of_size = 15;  // seconds for all calls of one size

// How often rows are repeated so that the largest tensor has `least_large`; 0 where it would
// have far more.
int64_t repeats_of(const OperatorCall& call, int64_t size) {
  for (int64_t repeats = 3; repeats < least_large; repeats += std::max<int64_t>(1, repeats / 8)) {
    int64_t largest = 0, sum = 0;
    for (const auto& tensor : call.values()) {
      double elements = 1;
      for (const int64_t one : tensor.sizes())
        elements *= static_cast<double>(one == size ? one * repeats : one);
      if (elements > static_cast<double>(most_large)) return 0;
      largest = std::max(largest, static_cast<int64_t>(elements));
      sum += static_cast<int64_t>(elements);
    }
    if (largest >= least_large) return sum <= 2 * most_large ? repeats : 0;
  }
  return 0;
}

// An output for repeated rows is made of that for the rows once, as many times.
std::optional<at::Tensor> repeated(const at::Tensor& once, const at::Tensor& like) {
  if (once.dim() != like.dim()) return std::nullopt;
  std::vector<int64_t> times;
  for (int64_t dim = 0; dim < once.dim(); ++dim) {
    if (once.size(dim) == 0 || like.size(dim) % once.size(dim) != 0) return std::nullopt;
    times.push_back(like.size(dim) / once.size(dim));
  }
  return once.repeat(times);
}

bool are_close(const at::Tensor& left, const at::Tensor& right) {
  return !difference({left}, {right}, "");
}

// What an output has to be for `repeats` times the rows, if that is known: the rows' outputs again
// and again, or what grows (or does not grow) evenly with their number.
std::optional<at::Tensor> extrapolated(const at::Tensor outputs[3], const at::Tensor& large,
                                       int64_t repeats) {
  const auto twice = repeated(outputs[0], outputs[1]), thrice = repeated(outputs[0], outputs[2]);
  if (twice && thrice && are_close(outputs[1], *twice) && are_close(outputs[2], *thrice))
    return repeated(outputs[0], large);
  const bool is_one_shape = outputs[0].sizes() == outputs[1].sizes() &&
                            outputs[1].sizes() == outputs[2].sizes() &&
                            outputs[2].sizes() == large.sizes();
  if (!is_one_shape || !outputs[0].is_floating_point()) return std::nullopt;
  const auto first = outputs[0].to(at::kDouble), second = outputs[1].to(at::kDouble);
  const auto step = second - first;
  const auto third = outputs[2].to(at::kDouble);
  if (!at::allclose(third, second + step, /*rtol=*/1e-6, /*atol=*/1e-9)) return std::nullopt;
  return first + step * static_cast<double>(repeats - 1);
}

// Long sums are rounded more than short ones.
std::optional<OperatorCheckFinding> large_fault(const at::Tensor& large, const at::Tensor& wanted,
                                                size_t output, int64_t elements) {
  if (large.numel() == 0) return std::nullopt;
  const auto left = large.to(at::kDouble), right = wanted.to(at::kDouble);
  const auto finite = right.masked_select(right.isfinite());
  const double largest = finite.numel() == 0 ? 0 : finite.abs().max().item<double>();
  const auto close = at::isclose(left, right, /*rtol=*/1e-2, /*atol=*/1e-3 * (largest + 1e-3),
                                 /*equal_nan=*/true);
  if (close.all().item<bool>()) return std::nullopt;
  const auto flat = close.logical_not().reshape(-1).to(at::kByte).argmax().item<int64_t>();
  const auto index = index_of(large, flat);
  auto finding = failed("with rows repeated until an input has " + std::to_string(elements) +
                            " elements, element " + index_text(index) + " of output " +
                            std::to_string(output) + " is " + element_words(large, flat) +
                            ", but calls with fewer repeats of these rows predict " +
                            element_words(wanted, flat),
                        "Check the code that only larger inputs reach: counters of 16 bits, "
                        "buffers of a fixed size, the start of a chunk of at::parallel_for.");
  finding.output = static_cast<int64_t>(output);
  finding.index = index;
  return finding;
}

struct LargeCalls {
  std::optional<OperatorCheckFinding> finding;
  int calls = 0;  // with many threads
  bool is_parallel = false;
  bool is_regular = false;  // compared with a call with one thread
};

// How far the calls had come when one of them ended its process.
enum class Reached { few, large, threads };

// Whether outputs for two and three times the rows follow from those for one: else the inputs'
// sizes may not belong together.
bool are_regular(const Tensors few[3]) {
  if (few[0].size() != few[1].size() || few[1].size() != few[2].size()) return false;
  for (size_t o = 0; o < few[0].size(); ++o) {
    const at::Tensor outputs[] = {few[0][o], few[1][o], few[2][o]};
    if (!extrapolated(outputs, few[2][o], 3)) return false;
  }
  return true;
}

// How often rows may be repeated so that no output has more than `most_large` elements: that of a
// product of matrices grows by the square.
int64_t most_repeats(const Tensors few[3]) {
  double most = static_cast<double>(least_large);
  for (size_t o = 0; o < few[0].size() && o < few[2].size(); ++o) {
    const auto once = static_cast<double>(few[0][o].numel());
    const auto thrice = static_cast<double>(few[2][o].numel());
    if (once == 0 || thrice <= once) continue;
    const double power = std::log(thrice / once) / std::log(3.0);
    most = std::min(most, std::pow(static_cast<double>(most_large) / once, 1 / power));
  }
  return static_cast<int64_t>(most);
}

// Whether other threads than this one worked in `work`, also those that have ended.
bool uses_threads(const std::function<void()>& work) {
  const auto seconds_of_others = [] {
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  };
  // A thread that starts and ends takes more; reading the clocks takes less.
  constexpr double least = 5e-6;
  const double before = seconds_of_others();
  work();
  return seconds_of_others() - before > least;
}

// Threads of backward that write to the same gradient. In float64, where the order of additions
// does not show; nullopt where the operator does not take it.
std::optional<OperatorCheckFinding> backward_race(const OperatorCall& call, const Tensors& inputs) {
  Tensors leaves;
  bool has_gradient = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_floating = inputs[i].is_floating_point();
    auto leaf = inputs[i].detach().to(is_floating ? at::kDouble : inputs[i].scalar_type(),
                                      /*non_blocking=*/false, /*copy=*/true);
    const bool is_wanted = is_floating && call.tensors()[i].tensor.requires_grad();
    if (is_wanted) leaf.requires_grad_();
    has_gradient = has_gradient || is_wanted;
    leaves.push_back(std::move(leaf));
  }
  if (!has_gradient) return std::nullopt;
  at::set_num_threads(1);
  const CallWithGraph recorded([&call](const Tensors& given) { return call.run(given); }, leaves);
  if (!recorded.error().empty() || recorded.outputs().empty()) return std::nullopt;
  // Backward may write to what it is given.
  const auto expected = recorded.backward(recorded.grad_outputs());
  at::set_num_threads(many_threads);
  const auto once = recorded.grad_outputs();
  if (!uses_threads([&] { recorded.backward(once); })) return std::nullopt;
  const auto end = Clock::now() + patience_of_races;
  for (int turn = 0; expected && turn < calls_for_a_race && Clock::now() < end; ++turn) {
    const auto actual = recorded.backward(recorded.grad_outputs());
    for (size_t i = 0; actual && i < expected->size(); ++i) {
      const auto& one = (*expected)[i];
      const auto& other = (*actual)[i];
      if (!one.defined() || !other.defined() || one.numel() == 0) continue;
      if (one.sizes() != other.sizes() || !one.isfinite().all().item<bool>()) continue;
      const double largest = one.abs().max().item<double>();
      if (at::allclose(other, one, /*rtol=*/1e-6, /*atol=*/1e-8 * (largest + 1e-3))) continue;
      return failed("with " + std::to_string(many_threads) + " threads, backward returns a " +
                        "different gradient than with one thread, in call " +
                        std::to_string(turn + 1) + " on inputs with more than 2^16 elements",
                    "Several threads add to the same gradient. Give each thread a separate range "
                    "of the gradient, or a separate sum.");
    }
  }
  return std::nullopt;
}

LargeCalls make_large_calls(const OperatorCall& call, int64_t size, int64_t repeats,
                            Reached& reached) {
  LargeCalls outcome;
  at::set_num_threads(1);
  Tensors few[3];
  for (int64_t times = 1; times <= 3; ++times)
    few[times - 1] = results_of(call, with_other_size(call.values(), size, size * times));
  repeats = std::min(repeats, most_repeats(few));
  if (repeats <= 3) throw std::runtime_error("the outputs are too large");
  const auto inputs = with_other_size(call.values(), size, size * repeats);
  const bool is_regular = are_regular(few);
  outcome.is_regular = is_regular;
  if (is_regular) reached = Reached::large;
  const auto started = Clock::now();
  const auto large = results_of(call, clones_of(inputs));
  const auto once = Clock::now() - started;
  int64_t elements = 0;
  for (const auto& input : inputs)
    elements = std::max(elements, input.numel());
  for (size_t o = 0; is_regular && o < large.size() && o < few[0].size(); ++o) {
    const at::Tensor outputs[] = {few[0][o], few[1][o], few[2][o]};
    const auto wanted = extrapolated(outputs, large[o], repeats);
    if (wanted) outcome.finding = large_fault(large[o], *wanted, o, elements);
    if (outcome.finding) return outcome;
  }
  reached = Reached::threads;
  at::set_num_threads(many_threads);
  const auto clones = clones_of(inputs);
  Tensors first;
  outcome.is_parallel = uses_threads([&] { first = results_of(call, clones); });
  // Of numbers that rounding decides, as those of a singular matrix, one thread says nothing.
  const auto wanted = is_regular ? large : first;
  const auto patience_of_calls = outcome.is_parallel ? patience_of_races : patience_without_threads;
  const auto end = Clock::now() + std::max<Clock::duration>(patience_of_calls, 2 * once);
  for (; outcome.calls < calls_for_a_race && Clock::now() < end; ++outcome.calls) {
    const auto actual = results_of(call, clones_of(inputs));
    const auto when = "with " + std::to_string(many_threads) + " threads and inputs of " +
                      std::to_string(elements) + " elements, in call " +
                      std::to_string(outcome.calls + 1) + ",";
    bool is_same = actual.size() == wanted.size();
    for (size_t o = 0; is_same && o < wanted.size(); ++o)
      is_same = at::equal(actual[o], wanted[o]);
    if (is_same) continue;
    outcome.finding = difference(actual, wanted, when);
    if (!outcome.finding) continue;
    outcome.finding->reason += is_regular ? " as with one thread" : " as in the first call";
    outcome.finding->advice =
        "Threads write to memory that other threads use. Give each thread a separate range of the "
        "output and a separate buffer, and start each loop at the `begin` that at::parallel_for "
        "passes.";
    return outcome;
  }
  outcome.finding = backward_race(call, inputs);
  return outcome;
}

OperatorCheckFinding check_parallel(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  if (auto reason = not_resizable(call); !reason.empty()) return skipped(reason);
  const at::NoGradGuard unrecorded;
  for (const int64_t size : resizable_sizes(call)) {
    const auto repeats = repeats_of(call, size);
    if (repeats == 0) continue;
    const SharedValue<Reached> reached(Reached::few);
    const auto outcome = run_forked(
        [&]() -> std::string {
          try {
            auto looked = make_large_calls(call, size, repeats, *reached);
            if (looked.finding) return packed(*looked.finding);
            const auto threads =
                looked.is_parallel ? std::to_string(many_threads) + " threads" : "1 thread";
            return packed(passed(
                std::to_string(looked.calls) + " calls with " + threads +
                " gave the same result as " +
                (looked.is_regular ? "one call with one thread" : "an earlier one of them")));
          } catch (...) {
            return "";  // refused
          }
        },
        patience_of_size);
    if (outcome.end == ForkedOutcome::End::timed_out)
      return skipped("calls with more than 2^16 elements take too long");
    if (outcome.ended() && *reached != Reached::few) {
      return ended(outcome,
                   std::string("with inputs of more than 2^16 elements, ") +
                       (*reached == Reached::threads ? "with several threads, " : "") +
                       "the call ends in " + outcome.describe(),
                   "Look for buffers of a fixed size, and for memory that several threads write.");
    }
    // Sizes that do not fit together may end the process: other checks look at such calls.
    if (outcome.end != ForkedOutcome::End::answered || outcome.answer.empty()) continue;
    auto finding = unpacked(outcome.answer);
    if (finding.status == CheckStatus::failed) return finding;
    return passed("with more than 2^16 elements, " + finding.reason);
  }
  return skipped("Opsmith found no inputs with more than 2^16 elements that the operator accepts");
}

const RegisteredCheck parallel_check({
    .name = "parallel",
    .title = "parallel",
    .meaning =
        "With more than 2^16 elements, one thread and several threads give the same results and "
        "gradients",
    .order = 155,
    .run = check_parallel,
    .compares_calls = true,
    .can_shrink = false,
});

}  // namespace
}  // namespace opsmith
