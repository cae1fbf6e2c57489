#include <ATen/Functions.h>

#include <cmath>

#include "runtime/arguments.h"
#include "runtime/clock.h"
#include "runtime/operator_check/cases.h"
#include "runtime/process/forked_call.h"
#include "runtime/process/shared_value.h"

namespace opsmith {
namespace {

// How long each of the three parts of one finding's shrinking may take: sizes, rows and columns,
// values. A slow check is shrunk less far. CPU time is counted, so that other work on the machine
// changes no result. The clock is counted too, for calls that wait.
constexpr double patience_in_cpu_seconds = 2;
constexpr double patience_in_seconds = 10;
// Tensors above are simplified as a whole only.
constexpr int64_t few_elements = 256;

// Which candidates still fail, in the order in which they are looked at. A candidate may end the
// process that calls it: copies of this one write what they find here, and the next copy goes on
// where the last one ended.
class Decisions {
 public:
  explicit Decisions(const ShrinkTrial& trial) : trial_(trial) {}

  // Before each pass over the candidates.
  void begin_pass() { next_ = part_ = 0; }
  void begin_part() {
    if (shared_->parts != part_++) return;
    ++shared_->parts;
    shared_->start = clock_seconds(CLOCK_MONOTONIC);
    shared_->cpu_seconds = 0;
  }

  bool still_fails(const OperatorCheckCase& candidate) {
    if (next_ < shared_->count) return shared_->fails[next_++];
    if (shared_->count == most) return false;
    const bool fails = has_time() && fails_now(candidate);
    decide(fails);
    ++next_;
    return fails;
  }

  // Of a candidate that ended the copy that called it.
  void decide(bool fails) { shared_->fails[shared_->count++] = fails; }
  bool is_full() const { return shared_->count == most; }

 private:
  static constexpr size_t most = 1 << 16;
  struct Shared {
    size_t count = 0, parts = 0;
    double start = 0;        // of the part, in seconds of CLOCK_MONOTONIC
    double cpu_seconds = 0;  // that the part has used, in all copies
    bool fails[most] = {};
  };

  bool has_time() const {
    return shared_->cpu_seconds < patience_in_cpu_seconds &&
           clock_seconds(CLOCK_MONOTONIC) - shared_->start < patience_in_seconds;
  }

  bool fails_now(const OperatorCheckCase& candidate) {
    const double before = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    const bool fails = trial_.fails(candidate);
    shared_->cpu_seconds += clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    return fails;
  }

  const ShrinkTrial& trial_;
  SharedValue<Shared> shared_{Shared()};
  size_t next_ = 0, part_ = 0;
};

class Shrinker {
 public:
  Shrinker(const CaseMaker& maker, Decisions& decisions) : maker_(maker), decisions_(decisions) {}

  OperatorCheckCase shrink(Draw draw) {
    decisions_.begin_pass();
    decisions_.begin_part();
    for (bool simpler = true; simpler;) {
      simpler = false;
      for (auto& candidate : maker_.simpler(draw)) {
        if (!still_fails(maker_.make(candidate))) continue;
        draw = std::move(candidate);
        simpler = true;
        break;
      }
    }
    auto made = maker_.make(draw);
    decisions_.begin_part();
    crop(made, maker_.croppable());
    decisions_.begin_part();
    simplify_numbers(made);
    const auto used = names_in(made.args);
    for (size_t i = 0; i < made.inputs.size(); ++i) {
      if (used.count(made.inputs[i].name) > 0) simplify_input(made, i);
    }
    return made;
  }

 private:
  bool still_fails(const OperatorCheckCase& candidate) { return decisions_.still_fails(candidate); }

  // Values that were drawn for smaller sizes may show nothing where these do: rows and columns of
  // these are left out one by one, along all places of a size.
  void crop(OperatorCheckCase& made, const std::vector<SizeRange>& sizes) {
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (const auto& size : sizes) {
        const auto count = size_in(made, size);
        if (count <= size.min || (count - 1) % size.step != 0) continue;
        for (int64_t left_out = 0; left_out < count && !smaller; ++left_out) {
          auto candidate = made;
          if (!leave_out(candidate, size, left_out) || !still_fails(candidate)) continue;
          made = std::move(candidate);
          smaller = true;
        }
      }
    }
  }

  void simplify_numbers(OperatorCheckCase& made) {
    for (size_t i = 0; i < made.args.size(); ++i) {
      const auto* number = std::get_if<double>(&made.args[i].value);
      if (number == nullptr || !maker_.may_simplify(i)) continue;
      for (const double simple : {0.0, 1.0}) {
        if (*number == simple) break;
        auto candidate = made;
        candidate.args[i].value = simple;
        if (!still_fails(candidate)) continue;
        made = std::move(candidate);
        break;
      }
    }
  }

  void simplify_input(OperatorCheckCase& made, size_t index) {
    const auto spec = made.inputs[index];
    if (spec.distribution == Distribution::zeros && !spec.values) return;
    const auto tensor = make_input(spec).detach().cpu();
    for (const auto simple : {Distribution::zeros, Distribution::ones}) {
      if (!may_hold(spec, simple == Distribution::zeros ? 0 : 1)) continue;
      auto candidate = made;
      candidate.inputs[index] = without_values(spec, tensor);
      candidate.inputs[index].distribution = simple;
      if (!still_fails(candidate)) continue;
      made = std::move(candidate);
      return;
    }
    if (tensor.is_complex() || tensor.numel() == 0 || tensor.numel() > few_elements) return;
    if (may_hold(spec, 0)) simplify_elements(made, index, spec, tensor);
  }

  // Halves, quarters, … single elements become 0; then what is left becomes 1, else a whole number.
  void simplify_elements(OperatorCheckCase& made, size_t index, const InputSpec& given,
                         const at::Tensor& tensor) {
    auto values = numbers_in(tensor);
    const auto attempt = [&](const std::vector<double>& changed) {
      if (changed == values) return false;
      auto candidate = made;
      auto& spec = candidate.inputs[index];
      spec = without_values(spec, tensor);
      spec.values = nested(changed, tensor.sizes().vec());
      if (!still_fails(candidate)) return false;
      made = std::move(candidate);
      values = changed;
      return true;
    };
    for (size_t chunk = (values.size() + 1) / 2; chunk > 0;
         chunk = chunk == 1 ? 0 : (chunk + 1) / 2) {
      for (size_t from = 0; from < values.size(); from += chunk) {
        auto changed = values;
        const auto to = std::min(from + chunk, values.size());
        std::fill(changed.begin() + static_cast<std::ptrdiff_t>(from),
                  changed.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
        attempt(changed);
      }
    }
    auto whole = values;
    for (auto& value : whole)
      value = std::round(value);
    attempt(whole);
    for (size_t i = 0; i < values.size(); ++i) {
      for (const double simple : {1.0, std::round(values[i]), std::round(values[i] * 10) / 10}) {
        // NaN stays as it is: no number is simpler than what it shows.
        if (values[i] == 0 || values[i] == simple || !std::isfinite(values[i])) break;
        if (!may_hold(given, simple)) continue;
        auto changed = values;
        changed[i] = simple;
        if (attempt(changed)) break;
      }
    }
  }

  static InputSpec* input_of(OperatorCheckCase& made, const std::string& name) {
    for (auto& spec : made.inputs) {
      if (spec.name == name) return &spec;
    }
    return nullptr;
  }

  static int64_t size_in(OperatorCheckCase& made, const SizeRange& size) {
    if (size.places.empty()) return 0;
    const auto* spec = input_of(made, size.places[0].input);
    const auto dim = static_cast<size_t>(size.places[0].dim);
    return spec != nullptr && spec->shape && dim < spec->shape->size() ? (*spec->shape)[dim] : 0;
  }

  static bool leave_out(OperatorCheckCase& made, const SizeRange& size, int64_t index) {
    for (const auto& place : size.places) {
      auto* spec = input_of(made, place.input);
      if (spec == nullptr) return false;
      auto tensor = make_input(*spec).detach().cpu();
      if (tensor.is_complex() || tensor.numel() > few_elements) return false;
      const auto before = tensor.narrow(place.dim, 0, index);
      const auto after = tensor.narrow(place.dim, index + 1, tensor.size(place.dim) - index - 1);
      tensor = at::cat({before, after}, place.dim);
      *spec = without_values(*spec, tensor);
      spec->values = nested(numbers_in(tensor), tensor.sizes().vec());
    }
    return true;
  }

  static std::vector<double> numbers_in(const at::Tensor& tensor) {
    const auto flat = tensor.to(at::kDouble).reshape(-1);
    return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
  }

  static InputSpec without_values(InputSpec spec, const at::Tensor& tensor) {
    spec.shape = tensor.sizes().vec();
    spec.distribution = InputSpec().distribution;
    spec.seed.reset();
    spec.values.reset();
    for (auto* number : {&spec.low, &spec.high, &spec.mean, &spec.std})
      number->reset();
    return spec;
  }

  static Literal element(double value) {
    if (std::isnan(value)) return {std::string("nan")};
    if (std::isinf(value)) return {std::string(value > 0 ? "inf" : "-inf")};
    return {value};
  }

  static Literal nested(const std::vector<double>& values, const std::vector<int64_t>& shape) {
    size_t next = 0;
    const std::function<Literal(size_t)> level = [&](size_t dim) -> Literal {
      if (dim == shape.size()) return element(values[next++]);
      Literal::List list;
      for (int64_t i = 0; i < shape[dim]; ++i)
        list.push_back(level(dim + 1));
      return {std::move(list)};
    };
    return level(0);
  }

  const CaseMaker& maker_;
  Decisions& decisions_;
};

}  // namespace

OperatorCheckCase shrink(const CaseMaker& maker, const Draw& draw, const ShrinkTrial& trial) {
  Decisions decisions(trial);
  Shrinker shrinker(maker, decisions);
  while (trial.in_copies && !decisions.is_full()) {
    const auto outcome = run_forked(
        [&] {
          shrinker.shrink(draw);
          return std::string();
        },
        trial.seconds);
    if (outcome.end == ForkedOutcome::End::answered) break;
    if (!outcome.ended()) return maker.make(draw);
    decisions.decide(trial.signal != 0 && outcome.signal == trial.signal);
  }
  return shrinker.shrink(draw);
}

}  // namespace opsmith
