#include "runtime/operator_check/operator_check.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <sstream>

#include "runtime/callable.h"
#include "runtime/failure.h"
#include "runtime/operator_check/cases.h"
#include "runtime/operator_check/check_runner.h"
#include "runtime/operator_check/checks.h"
#include "runtime/warn_once.h"

namespace opsmith {
namespace {

std::vector<OperatorCheck>& registered() {
  static std::vector<OperatorCheck> checks;
  return checks;
}

// When a check is made: first the one that says whether a call is safe at all; those that compare
// calls last, when it is known whether two calls can be compared.
int turn_of(const OperatorCheck& check) {
  if (check.makes_unsafe) return 0;
  if (!check.compares_calls) return 1;
  return *check.makes_unrepeatable != '\0' ? 2 : 3;
}

std::vector<OperatorCheck> in_turn() {
  auto checks = operator_checks();
  std::stable_sort(checks.begin(), checks.end(),
                   [](const auto& a, const auto& b) { return turn_of(a) < turn_of(b); });
  return checks;
}

}  // namespace

RegisteredCheck::RegisteredCheck(const OperatorCheck& check) {
  registered().push_back(check);
}

const std::vector<OperatorCheck>& operator_checks() {
  static const auto checks = [] {
    auto sorted = registered();
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.order < b.order; });
    return sorted;
  }();
  return checks;
}

OperatorCheckReport run_operator_check(const OperatorCheckRequest& request) {
  const Stage stage(ErrorCode::operator_unknown);
  auto callable = find_callable(request.op, request.program);
  callable.edges = request.edges;
  auto asked_for = request;
  std::optional<OperatorCheckCase> generated;
  if (request.from_schema) {
    generated = case_from_schema(callable);
    asked_for.args = generated->args;
    asked_for.inputs = generated->inputs;
  }
  const CaseMaker maker(asked_for, callable);
  const at::AutoGradMode recording(true);
  const WarnOnce warnings;
  const auto start = std::chrono::steady_clock::now();
  CheckRunner runner(maker, request.from_schema);
  OperatorCheckReport report;
  report.op = callable.name;
  report.ok = true;
  report.generated = std::move(generated);
  std::set<std::string> failures;
  std::string unrepeatable;  // why calls are not compared; "" while they are
  for (const auto& check : in_turn()) {
    if (check.run == nullptr) continue;
    const auto& wanted = request.checks;
    const bool asked = std::find(wanted.begin(), wanted.end(), check.name) != wanted.end();
    if (!asked && !wanted.empty()) continue;
    OperatorCheckFinding finding;
    if (check.compares_calls && !unrepeatable.empty()) {
      finding = skipped(unrepeatable);
    } else if (!asked && *check.only_when_asked != '\0') {
      finding = skipped(check.only_when_asked);
    } else if (failures.count(check.after) > 0) {
      finding = skipped("the check " + std::string(check.after) + " failed");
    } else {
      finding = runner.run(check);
    }
    finding.check = check.name;
    const std::string placeholder = "\"CHECK\"";
    if (const auto at = finding.advice.find(placeholder); at != std::string::npos)
      finding.advice.replace(at, placeholder.size(), "\"" + finding.check + "\"");
    if (finding.status == CheckStatus::failed) {
      report.ok = false;
      failures.insert(check.name);
      if (*check.makes_unrepeatable != '\0') unrepeatable = check.makes_unrepeatable;
    }
    report.findings.push_back(std::move(finding));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<SizedCall> calls_at_sizes(const OperatorCheckRequest& request) {
  const auto callable = find_callable(request.op, request.program);
  auto asked_for = request;
  if (request.from_schema) {
    auto generated = case_from_schema(callable);
    asked_for.args = std::move(generated.args);
    asked_for.inputs = std::move(generated.inputs);
  }
  const CaseMaker maker(asked_for, callable);
  std::vector<SizedCall> calls{{"", call_of(callable, maker.make(maker.given()))}};
  for (const auto& draw : maker.others()) {
    const auto made = maker.make(draw);
    try {
      calls.push_back({case_words(callable, made), call_of(callable, made)});
    } catch (...) {
      continue;  // such inputs cannot be made: an eye of three dimensions, say
    }
  }
  return calls;
}

OperatorCheckFinding passed(std::string reason) {
  OperatorCheckFinding finding;
  finding.status = CheckStatus::passed;
  finding.reason = std::move(reason);
  return finding;
}

OperatorCheckFinding skipped(std::string reason) {
  auto finding = passed(std::move(reason));
  finding.status = CheckStatus::skipped;
  return finding;
}

OperatorCheckFinding failed(std::string reason, std::string advice) {
  auto finding = passed(std::move(reason));
  finding.status = CheckStatus::failed;
  finding.advice = std::move(advice);
  return finding;
}

OperatorCheckFinding ended(const ForkedOutcome& outcome, std::string reason, std::string advice) {
  auto finding = failed(std::move(reason), std::move(advice));
  CopyEnd end;
  end.signal = outcome.end == ForkedOutcome::End::exited      ? CopyEnd::by_exit
               : outcome.end == ForkedOutcome::End::timed_out ? CopyEnd::no_end
                                                              : outcome.signal;
  end.report = outcome.report;
  finding.ended = std::move(end);
  return finding;
}

std::vector<int64_t> index_of(const at::Tensor& tensor, int64_t flat) {
  std::vector<int64_t> index(static_cast<size_t>(tensor.dim()));
  for (int64_t dim = tensor.dim() - 1; dim >= 0; --dim) {
    index[static_cast<size_t>(dim)] = flat % tensor.size(dim);
    flat /= tensor.size(dim);
  }
  return index;
}

std::string number_text(double number) {
  if (std::isnan(number)) return "nan";
  std::ostringstream text;
  text.precision(6);
  text << number;
  return text.str();
}

std::string index_text(const std::vector<int64_t>& index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return text + "]";
}

std::optional<int64_t> first_difference(const at::Tensor& left, const at::Tensor& right) {
  if (left.numel() == 0) return std::nullopt;
  const auto on_host = [](const at::Tensor& tensor) {
    return tensor.detach().resolve_conj().resolve_neg().contiguous().cpu();
  };
  const auto a = on_host(left), b = on_host(right);
  const auto* first = static_cast<const char*>(a.data_ptr());
  const auto* second = static_cast<const char*>(b.data_ptr());
  const auto size = static_cast<int64_t>(a.element_size());
  for (int64_t flat = 0; flat < a.numel(); ++flat) {
    if (!std::equal(first + flat * size, first + (flat + 1) * size, second + flat * size)) {
      return flat;
    }
  }
  return std::nullopt;
}

bool same_bits(const at::Tensor& left, const at::Tensor& right) {
  return left.sizes() == right.sizes() && left.scalar_type() == right.scalar_type() &&
         !first_difference(left, right);
}

}  // namespace opsmith
