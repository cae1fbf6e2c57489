#include "runtime/opcheck/opcheck.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>

#include "runtime/arguments.h"
#include "runtime/callable.h"
#include "runtime/failure.h"
#include "runtime/opcheck/cases.h"
#include "runtime/opcheck/checks.h"
#include "runtime/warn_once.h"

namespace opsmith {
namespace {

struct Check {
  const char* name;
  OpcheckFinding (*run)(const OperatorCall&);
  bool other_shapes = false;  // whether generated shapes are tried too
  // Compares outputs of two calls: without repeatable ones there is nothing to compare.
  bool compares_calls = false;
  bool by_name_only = false;  // too heavy to be made unasked
};

// Those that run in a copy of the process come first: what writes outside of its tensors must not
// do so here.
constexpr Check all_checks[] = {
    {"writes_outside", check_writes_outside, true},
    {"reads_outside", check_reads_outside, true},
    {"small_sizes", check_small_sizes},
    {"mutation", check_mutation, true},
    {"aliasing", check_aliasing, true},
    {"registration", check_registration},
    {"autograd_registration", check_autograd_registration},
    {"gradient_lost", check_gradient_lost},
    {"meta", check_meta, true},
    {"unwritten", check_unwritten, true},
    {"determinism", check_determinism, true, true},
    {"layouts", check_layouts, true, true},
    {"dtypes", check_dtypes, false, true},
    {"precision", check_precision},
    {"broadcasting", check_broadcasting, false, true},
    {"nan", check_not_a_number, true, true},
    {"grad_modes", check_grad_modes, false, true},
    {"threads", check_threads, false, true},
    {"leaks", check_leaks},
    {"large_sizes", check_large, false, true, true},
};

// A check that throws has not been made: the operator refuses what it is given.
OpcheckFinding try_check(const Check& check, const OperatorCall& call) {
  enter_stage("operator.check");
  try {
    return check.run(call);
  } catch (...) {
    return skipped("the operator stops: " + brief(describe_current_exception().message));
  }
}

// What a failure does not show by its inputs, or shows only slowly, is not shrunk.
bool can_shrink(const Check& check) {
  const std::string name = check.name;
  return name != "registration" && name != "autograd_registration" && !check.by_name_only;
}

OpcheckFinding shrunk(const Check& check, const CaseMaker& maker, const Draw& draw,
                      OpcheckFinding finding) {
  const auto given = maker.make(maker.given());
  auto shown = maker.make(draw);
  if (can_shrink(check)) {
    const auto run = [&](const OpcheckCase& candidate) {
      return try_check(check, call_of(maker.callable(), candidate));
    };
    shown = shrink(maker, draw, run, finding);
  }
  const auto words = case_words(maker.callable(), shown);
  if (words != case_words(maker.callable(), given)) finding.shown_by = words;
  const auto used = names_in(shown.args);
  const auto unused = [&](const InputSpec& spec) { return used.count(spec.name) == 0; };
  shown.inputs.erase(std::remove_if(shown.inputs.begin(), shown.inputs.end(), unused),
                     shown.inputs.end());
  finding.shown_case = std::move(shown);
  return finding;
}

OpcheckFinding run_check(const Check& check, const CaseMaker& maker, const OperatorCall& given) {
  auto finding = try_check(check, given);
  if (finding.status == "failed") return shrunk(check, maker, maker.given(), std::move(finding));
  if (!check.other_shapes) return finding;
  for (const auto& draw : maker.others()) {
    std::optional<OperatorCall> call;
    try {
      call = call_of(maker.callable(), maker.make(draw));
    } catch (...) {
      continue;  // such inputs cannot be made: an eye of three dimensions, say
    }
    auto found = try_check(check, *call);
    if (found.status == "failed") return shrunk(check, maker, draw, std::move(found));
  }
  return finding;
}

}  // namespace

OpcheckReport run_opcheck(const OpcheckRequest& request) {
  enter_stage("operator.unknown");
  const auto callable = find_callable(request.op, request.program);
  auto asked_for = request;
  std::optional<OpcheckCase> generated;
  if (request.from_schema) {
    generated = case_from_schema(callable);
    asked_for.args = generated->args;
    asked_for.inputs = generated->inputs;
  }
  const CaseMaker maker(asked_for, callable);
  const auto given = call_of(callable, maker.make(maker.given()));
  const at::AutoGradMode recording(true);
  const WarnOnce warnings;
  const auto start = std::chrono::steady_clock::now();
  OpcheckReport report;
  report.op = callable.name;
  report.ok = true;
  report.generated = std::move(generated);
  std::string unsafe, unrepeatable;  // why the checks that follow are not made; "" while they are
  for (const auto& check : all_checks) {
    const auto& wanted = request.checks;
    const bool asked = std::find(wanted.begin(), wanted.end(), check.name) != wanted.end();
    if (!asked && !wanted.empty()) continue;
    OpcheckFinding finding;
    if (!unsafe.empty()) {
      finding = skipped(unsafe);
    } else if (check.compares_calls && !unrepeatable.empty()) {
      finding = skipped(unrepeatable);
    } else if (!asked && check.by_name_only) {
      finding = skipped("takes gigabytes of memory: ask for it by name");
    } else {
      finding = run_check(check, maker, given);
    }
    finding.check = check.name;
    if (finding.status == "failed") {
      report.ok = false;
      const std::string name = check.name;
      if (name == "writes_outside") unsafe = "not safe before this is mended: " + finding.reason;
      if (name == "unwritten") unrepeatable = "outputs hold what was never written";
      if (name == "determinism") unrepeatable = "two calls differ as it is";
    }
    report.findings.push_back(std::move(finding));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<SizedCall> calls_at_sizes(const OpcheckRequest& request) {
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

OpcheckFinding passed(std::string reason) {
  OpcheckFinding finding;
  finding.status = "passed";
  finding.reason = std::move(reason);
  return finding;
}

OpcheckFinding skipped(std::string reason) {
  auto finding = passed(std::move(reason));
  finding.status = "skipped";
  return finding;
}

OpcheckFinding failed(std::string reason, std::string advice) {
  auto finding = passed(std::move(reason));
  finding.status = "failed";
  finding.advice = std::move(advice);
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

std::string index_text(const std::vector<int64_t>& index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return text + "]";
}

std::optional<int64_t> first_difference(const at::Tensor& left, const at::Tensor& right) {
  if (left.numel() == 0) return std::nullopt;
  const auto a = left.detach().resolve_conj().resolve_neg().contiguous();
  const auto b = right.detach().resolve_conj().resolve_neg().contiguous();
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
