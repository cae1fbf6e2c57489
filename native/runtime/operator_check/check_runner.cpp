#include "runtime/operator_check/check_runner.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "runtime/arguments.h"
#include "runtime/clock.h"
#include "runtime/failure.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/finding_text.h"
#include "runtime/process/shared_value.h"
#include "runtime/virtual_device.h"

namespace opsmith {
namespace {

// Calls that one check makes at most, its other shapes counted.
constexpr double most_calls = 1000;

// Calls that other calls are made of, the given one first.
constexpr size_t most_elsewhere = 3;

// A check that throws has not been made: the operator refuses what it is given.
OperatorCheckFinding try_check(const OperatorCheck& check, const OperatorCall& call) {
  const Stage stage(ErrorCode::operator_check);
  try {
    return check.run(call);
  } catch (...) {
    return skipped("the operator throws: " + brief(describe_current_exception().message));
  }
}

// What the other calls of a check find that passed.
std::optional<OperatorCheckFinding> try_elsewhere(const OperatorCheck& check,
                                                  const OperatorCall& call) {
  const Stage stage(ErrorCode::operator_check);
  try {
    auto found = check.run_elsewhere(call);
    if (found) found->is_elsewhere = true;
    return found;
  } catch (...) {
    return std::nullopt;
  }
}

// Two failures are one fault only if both end the process by the same signal, or neither ends it.
bool is_same_end(const OperatorCheckFinding& left, const OperatorCheckFinding& right) {
  if (!left.ended || !right.ended) return !left.ended && !right.ended;
  return left.ended->signal == right.ended->signal;
}

// Whether a call of the check on `candidate` fails as `finding` says, made here.
bool fails_here(const OperatorCheck& check, const Callable& callable,
                const OperatorCheckCase& candidate, const OperatorCheckFinding& finding) {
  // A candidate of which no tensor can be made shows nothing.
  try {
    const auto call = call_of(callable, candidate);
    if (finding.is_elsewhere) {
      const auto found = try_elsewhere(check, call);
      return found && found->status == CheckStatus::failed && is_same_end(*found, finding);
    }
    const auto found = try_check(check, call);
    return found.status == CheckStatus::failed && is_same_end(found, finding);
  } catch (...) {
    return false;
  }
}

OperatorCheckCase without_unused_inputs(OperatorCheckCase shown) {
  const auto used = names_in(shown.args);
  const auto unused = [&](const InputSpec& spec) { return used.count(spec.name) == 0; };
  shown.inputs.erase(std::remove_if(shown.inputs.begin(), shown.inputs.end(), unused),
                     shown.inputs.end());
  return shown;
}

OperatorCheckFinding of_end(const ForkedOutcome& outcome, const std::string& what) {
  const auto* advice =
      outcome.end == ForkedOutcome::End::timed_out
          ? "Look for a loop that does not end, or a lock that is never released. If the call is "
            "only slow, use smaller inputs."
          : "Check sizes, dtypes and indices with TORCH_CHECK before the operator reads or writes "
            "memory.";
  return ended(outcome, what + " ends in " + outcome.describe(), advice);
}

}  // namespace

CheckRunner::CheckRunner(const CaseMaker& maker, bool made_up) : maker_(maker), made_up_(made_up) {
  const auto given = maker.given();
  calls_.push_back({given, call_of(maker.callable(), maker.make(given))});
  const auto add = [&](const std::vector<Draw>& draws, bool are_of_integers) {
    for (const auto& draw : draws) {
      try {
        calls_.push_back({draw, call_of(maker.callable(), maker.make(draw)), are_of_integers});
      } catch (...) {
        continue;  // such inputs cannot be made: an eye of three dimensions, say
      }
    }
  };
  add(maker.others(), false);
  add(maker.each_integer(), true);
  const auto& call = calls_.front().call;
  takes_integers_ = !call.integers().empty();
  for (const auto& tensor : call.values()) {
    if (tensor.device().type() != at::kCPU) in_copies_ = false;
    takes_integers_ =
        takes_integers_ || at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
  }
  if (!in_copies_) return;
  const auto start = Clock::now();
  given_ = plain_call(call);
  const std::chrono::duration<double> once = Clock::now() - start;
  patience_in_seconds_ = 2 * patience + most_calls * once.count();
}

// One copy makes all calls of a check. `at` says which one it had reached when it ended.
CheckRunner::Attempt CheckRunner::attempt(const OperatorCheck& check,
                                          const std::vector<size_t>& turns) const {
  Attempt made;
  const SharedValue<size_t> at(turns.front());
  made.outcome = run_forked(
      [&] {
        std::string first;
        size_t passes = 0;
        for (const auto turn : turns) {
          *at = turn;
          const auto found = try_check(check, calls_[turn].call);
          if (found.status == CheckStatus::failed) return packed(found);
          if (first.empty()) first = packed(found);
          const bool looks_elsewhere = check.run_elsewhere != nullptr &&
                                       found.status == CheckStatus::passed &&
                                       passes++ < most_elsewhere;
          if (!looks_elsewhere) continue;
          const auto elsewhere = try_elsewhere(check, calls_[turn].call);
          if (elsewhere) return packed(*elsewhere);
        }
        *at = turns.front();
        return first;
      },
      patience_in_seconds_);
  // Whoever corrupts memory may corrupt this too.
  made.at = std::min(*at, calls_.size() - 1);
  if (made.outcome.end == ForkedOutcome::End::answered)
    made.finding = unpacked(made.outcome.answer);
  return made;
}

ForkedOutcome CheckRunner::plain_call(const OperatorCall& call) const {
  return run_forked(
      [&]() -> std::string {
        Tensors outputs;
        return call.try_run(call.fresh(), outputs);
      },
      patience);
}

std::vector<size_t> CheckRunner::turns_of(const OperatorCheck& check) const {
  std::vector<size_t> turns{0};
  for (size_t turn = 1; turn < calls_.size(); ++turn) {
    const auto& call = calls_[turn];
    const bool is_wanted = call.is_of_integer ? check.each_integer : check.other_shapes;
    if (is_wanted && call.is_usable) turns.push_back(turn);
  }
  return turns;
}

OperatorCheckFinding CheckRunner::run(const OperatorCheck& check) {
  std::optional<NoCopies> here;
  if (!in_copies_) here.emplace();
  if (check.makes_calls && !unsafe_.empty()) return skipped(unsafe_);
  if (check.makes_calls && in_copies_ && given_.end == ForkedOutcome::End::not_started)
    return skipped(given_.describe());
  if (check.makes_calls && in_copies_ && given_.end != ForkedOutcome::End::answered) {
    return concluded(check, 0, /*is_plain=*/true, of_end(given_, "the call"));
  }
  if (in_copies_) {
    auto made = attempt(check, turns_of(check));
    if (made.outcome.end == ForkedOutcome::End::not_started) {
      return skipped(made.outcome.describe());
    }
    if (made.outcome.end != ForkedOutcome::End::answered) return after_end(check, made);
    if (made.finding.status != CheckStatus::failed) return made.finding;
    return concluded(check, made.at, /*is_plain=*/check.makes_unsafe, std::move(made.finding));
  }
  // What kernels did before is another check's.
  keep_kernel_report();
  OperatorCheckFinding first;
  std::vector<KernelReport> kernels;
  for (const auto turn : turns_of(check)) {
    auto found = try_check(check, calls_[turn].call);
    if (check.compares_calls && found.status == CheckStatus::failed) results_differ();
    if (has_kernel_findings()) kernels.push_back(kernel_report(calls_[turn].draw));
    if (found.status == CheckStatus::failed) {
      first = concluded(check, turn, /*is_plain=*/check.makes_unsafe, std::move(found));
      break;
    }
    if (turn == 0) first = std::move(found);
  }
  first.kernel_reports = std::move(kernels);
  return first;
}

KernelReport CheckRunner::kernel_report(const Draw& draw) const {
  auto shown = maker_.make(draw);
  const auto words = case_words(maker_.callable(), shown);
  const bool is_given = words == case_words(maker_.callable(), maker_.make(maker_.given()));
  return {keep_kernel_report(), is_given ? "" : words, without_unused_inputs(std::move(shown))};
}

// The plain call may end the process, or only the way in which this check calls.
OperatorCheckFinding CheckRunner::after_end(const OperatorCheck& check, const Attempt& attempt) {
  const auto plain = plain_call(calls_[attempt.at].call);
  if (plain.end == ForkedOutcome::End::not_started) return skipped(plain.describe());
  const bool is_plain = plain.end != ForkedOutcome::End::answered;
  const auto& outcome = is_plain ? plain : attempt.outcome;
  const auto* what = is_plain ? "the call" : "a call that this check makes";
  return concluded(check, attempt.at, is_plain, of_end(outcome, what));
}

OperatorCheckFinding CheckRunner::concluded(const OperatorCheck& check, size_t at, bool is_plain,
                                            OperatorCheckFinding finding) {
  const bool is_memory = finding.ended || check.makes_unsafe;
  if (made_up_ && is_memory && (takes_integers_ || (is_plain && finding.ended))) {
    const auto words = case_words(maker_.callable(), maker_.make(calls_[at].draw));
    finding = skipped("the generated inputs (" + words +
                      ") may be invalid for this operator: " + finding.reason +
                      ". Add inputs for this operator to `checks` in opsmith.json");
  }
  if (is_plain && at == 0) unsafe_ = "the call itself is not safe: " + finding.reason;
  if (is_plain) {
    // This check stopped here: whether the calls after this one are safe is not known.
    const size_t end = check.makes_unsafe ? calls_.size() : at + 1;
    for (size_t turn = at; turn < end; ++turn)
      calls_[turn].is_usable = false;
  }
  return finding.status == CheckStatus::failed ? shrunk(check, calls_[at].draw, std::move(finding))
                                               : finding;
}

OperatorCheckFinding CheckRunner::shrunk(const OperatorCheck& check, const Draw& draw,
                                         OperatorCheckFinding finding) const {
  const auto& callable = maker_.callable();
  const auto given = maker_.make(maker_.given());
  auto shown = maker_.make(draw);
  const bool takes_long = finding.ended && finding.ended->signal == CopyEnd::no_end;
  if (check.can_shrink && !takes_long) {
    const auto fails = [&](const OperatorCheckCase& candidate) {
      return fails_here(check, callable, candidate, finding);
    };
    const int end = finding.ended ? finding.ended->signal : 0;
    shown = shrink(maker_, draw, {fails, in_copies_, end, patience_in_seconds_});
    // The finding of the smallest case replaces that of the first.
    const auto again = [&]() -> std::string {
      const auto call = call_of(callable, shown);
      if (!finding.is_elsewhere) return packed(try_check(check, call));
      return packed(try_elsewhere(check, call).value_or(passed()));
    };
    OperatorCheckFinding found;
    const auto outcome = in_copies_ ? run_forked(again, patience_in_seconds_) : ForkedOutcome();
    if (!in_copies_) {
      found = unpacked(again());
    } else if (outcome.end == ForkedOutcome::End::answered) {
      found = unpacked(outcome.answer);
    } else {
      // The words stay: they say whether the plain call ends the process.
      auto reason = finding.reason;
      found = ended(outcome, std::move(reason), finding.advice);
    }
    if (found.status == CheckStatus::failed && is_same_end(found, finding)) {
      finding = std::move(found);
    } else {
      shown = maker_.make(draw);
    }
  }
  const auto words = case_words(callable, shown);
  // What ends a process shows its inputs, whichever they are.
  if (finding.ended || words != case_words(callable, given)) finding.shown_by = words;
  finding.shown_case = without_unused_inputs(std::move(shown));
  return finding;
}

}  // namespace opsmith
