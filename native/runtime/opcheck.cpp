#include "runtime/opcheck.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>

#include "runtime/arguments.h"
#include "runtime/callable.h"
#include "runtime/failure.h"
#include "runtime/opcheck_checks.h"
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

using SizeMap = std::map<int64_t, int64_t>;

// Calls of one operator with the project's inputs, and with the same inputs at other sizes: equal
// sizes stay equal, so that what must fit together does.
class CallMaker {
 public:
  explicit CallMaker(const OpcheckRequest& request)
      : request_(request),
        callable_(find_callable(request.op, request.program)),
        used_(names_in(request.args)) {
    for (const auto& spec : request.inputs) {
      if (used_.count(spec.name) == 0) continue;
      if (spec.values || !spec.shape) resizable_ = false;
      for (const int64_t size : spec.shape.value_or(std::vector<int64_t>())) {
        if (size > 1) sizes_.insert(size);
      }
    }
    resizable_ = resizable_ && !sizes_.empty();
  }

  OperatorCall make(const SizeMap& map) const {
    ProjectInputs project;
    for (auto spec : request_.inputs) {
      project.names.push_back(spec.name);
      if (used_.count(spec.name) == 0) continue;
      if (spec.shape) spec.shape = resized(*spec.shape, map);
      project.tensors.emplace(spec.name, make_input(spec));
    }
    return {callable_, make_arguments(callable_.schema, request_.args, &project)};
  }

  // Small, odd, past a vector register's width, past a cache line's.
  std::vector<SizeMap> other_sizes() const {
    std::vector<SizeMap> maps;
    if (!resizable_) return maps;
    constexpr int64_t candidates[] = {1, 2, 3, 5, 7, 8, 9, 17, 31, 33};
    std::mt19937_64 random(static_cast<uint64_t>(request_.seed));
    for (int64_t i = 0; i < request_.shapes; ++i) {
      SizeMap map;
      int64_t elements = 1;
      for (const int64_t size : sizes_) {
        auto chosen = candidates[random() % std::size(candidates)];
        if (elements * chosen > 4096) chosen = 3;
        elements *= chosen;
        map[size] = chosen;
      }
      maps.push_back(std::move(map));
    }
    return maps;
  }

  // Maps with one size smaller than in `map`, the smallest first.
  static std::vector<SizeMap> smaller(const SizeMap& map) {
    std::vector<SizeMap> maps;
    for (const auto& [size, chosen] : map) {
      for (const int64_t candidate : {int64_t{1}, int64_t{2}, int64_t{3}, chosen / 2, chosen - 1}) {
        if (candidate < 1 || candidate >= chosen) continue;
        auto next = map;
        next[size] = candidate;
        maps.push_back(std::move(next));
      }
    }
    return maps;
  }

  std::string words(const SizeMap& map) const {
    std::string text;
    for (const auto& spec : request_.inputs) {
      if (used_.count(spec.name) == 0 || !spec.shape) continue;
      text += (text.empty() ? "" : ", ") + spec.name + " " + spec.dtype +
              index_text(resized(*spec.shape, map));
    }
    return text;
  }

  const Callable& callable() const { return callable_; }

 private:
  static std::vector<int64_t> resized(std::vector<int64_t> shape, const SizeMap& map) {
    for (auto& size : shape) {
      const auto found = map.find(size);
      if (found != map.end()) size = found->second;
    }
    return shape;
  }

  const OpcheckRequest& request_;
  Callable callable_;
  std::set<std::string> used_;
  std::set<int64_t> sizes_;
  bool resizable_ = true;
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

// The same failure with smaller sizes, as small as it shows.
OpcheckFinding shrink(const Check& check, const CallMaker& maker, SizeMap map,
                      OpcheckFinding finding) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (auto& candidate : CallMaker::smaller(map)) {
      auto found = try_check(check, maker.make(candidate));
      if (found.status != "failed") continue;
      finding = std::move(found);
      map = std::move(candidate);
      smaller = true;
      break;
    }
  }
  finding.shown_by = maker.words(map);
  return finding;
}

OpcheckFinding run_check(const Check& check, const CallMaker& maker, const OperatorCall& given) {
  auto finding = try_check(check, given);
  if (!check.other_shapes || finding.status == "failed") return finding;
  for (const auto& map : maker.other_sizes()) {
    auto found = try_check(check, maker.make(map));
    if (found.status == "failed") return shrink(check, maker, map, std::move(found));
  }
  return finding;
}

}  // namespace

OpcheckReport run_opcheck(const OpcheckRequest& request) {
  enter_stage("operator.unknown");
  const CallMaker maker(request);
  const auto given = maker.make({});
  const at::AutoGradMode recording(true);
  const WarnOnce warnings;
  const auto start = std::chrono::steady_clock::now();
  OpcheckReport report;
  report.op = maker.callable().name;
  report.ok = true;
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
