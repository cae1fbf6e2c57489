#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/clock.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"

namespace opsmith {
namespace {

using Limits = std::numeric_limits<double>;

// Of one call's elements: more are looked at only when there is time.
constexpr auto patience_of_places = std::chrono::milliseconds(400);
constexpr size_t most_places = 64;

// The middle, both ends, then the others, of a large tensor some.
std::vector<int64_t> places_of(const at::Tensor& tensor) {
  const int64_t count = tensor.numel();
  std::vector<int64_t> places{count / 2, count - 1, 0};
  const int64_t step = std::max<int64_t>(1, count / static_cast<int64_t>(most_places));
  for (int64_t place = 0; place < count && places.size() < most_places; place += step)
    places.push_back(place);
  return places;
}

// The outputs with one element, or all (place -1), of one input set to a value; nullopt where the
// operator refuses it.
std::optional<Tensors> outputs_with(const OperatorCall& call, size_t input, int64_t place,
                                    double value) {
  auto given = call.fresh();
  const auto& tensor = call.tensors()[input].tensor;
  given[input] = tensor.detach().clone(at::MemoryFormat::Contiguous);
  if (place < 0) {
    given[input].fill_(value);
  } else {
    given[input].view(-1)[place].fill_(value);
  }
  Tensors outputs;
  if (!call.try_run(given, outputs).empty()) return std::nullopt;
  return outputs;
}

// Where an output changes with the element. An operator whose calls differ anyhow, since it adds in
// any order, changes what it gives again in each call, and by more than rounding.
at::Tensor changed(const OperatorCall& call, size_t input, int64_t place, double low, size_t output,
                   const at::Tensor& before, const at::Tensor& after) {
  auto depends = before.ne(after);
  bool repeats = true;
  auto steady = at::ones_like(depends);
  for (int again = 0; again < 3; ++again) {
    const auto outputs = outputs_with(call, input, place, low);
    if (!outputs || outputs->size() <= output || (*outputs)[output].sizes() != before.sizes())
      return at::zeros_like(depends);
    repeats = repeats && same_bits((*outputs)[output], before);
    steady = steady.logical_and(before.eq((*outputs)[output]));
  }
  if (repeats) return depends;
  return depends.logical_and(steady).logical_and(differs(before, after));
}

struct NanLook {
  bool tried = false;  // an output depends on the element
  std::optional<OperatorCheckFinding> finding;
};

// Whether NaN in an element reaches what changes when it goes from `low` to `high`: all of it, or
// at least one output. Where one large element moves others, few of those that change depend on it.
NanLook look_at_place(const OperatorCall& call, size_t input, int64_t place, double low,
                      double high, bool all) {
  NanLook looked;
  const auto before = outputs_with(call, input, place, low);
  const auto after = outputs_with(call, input, place, high);
  const auto nan = outputs_with(call, input, place, Limits::quiet_NaN());
  if (!before || !after || !nan) return looked;
  bool any_nan = false;
  for (const auto& output : *nan)
    any_nan = any_nan || (output.is_floating_point() && at::isnan(output).any().item<bool>());
  for (size_t o = 0; o < nan->size(); ++o) {
    const auto& output = (*nan)[o];
    if (!output.is_floating_point() || output.sizes() != (*after)[o].sizes() ||
        (*before)[o].sizes() != output.sizes()) {
      continue;
    }
    // By so much, a sign or a step changes too: only of one number is it asked to be NaN.
    if (!all && output.numel() != 1) continue;
    const auto depends = (*before)[o].ne((*after)[o]);
    if (!depends.any().item<bool>()) continue;
    looked.tried = true;
    const auto is_nan = at::isnan(output);
    auto swallowed = depends.logical_and(is_nan.logical_not());
    if (!swallowed.any().item<bool>()) continue;
    if (any_nan && (!all || output.numel() == 1)) continue;
    const auto surely = changed(call, input, place, low, o, (*before)[o], (*after)[o]);
    swallowed = swallowed.logical_and(surely);
    if (!swallowed.any().item<bool>()) continue;
    const auto flat = swallowed.reshape(-1).to(at::kByte).argmax().item<int64_t>();
    const auto& argument = call.tensors()[input];
    auto finding = failed(
        "NaN in element " + index_text(index_of(argument.tensor, place)) + " of " + argument.name +
            " is lost: element " + index_text(index_of(output, flat)) + " of " +
            output_words(o, nan->size()) + ", which depends on it, is " +
            element_words(output, flat),
        "PyTorch's operators propagate NaN. A comparison with NaN is false, also inside std::max: "
        "test with std::isnan, or write x <= 0 ? 0 : x instead of x > 0 ? x : 0.");
    finding.input = argument.name;
    finding.output = static_cast<int64_t>(o);
    finding.index = index_of(output, flat);
    looked.finding = std::move(finding);
    return looked;
  }
  return looked;
}

// Whether all outputs are finite and none is larger than `most`.
bool are_tame(const std::optional<Tensors>& outputs, double most) {
  if (!outputs) return false;
  for (const auto& output : *outputs) {
    if (!output.is_floating_point() || output.numel() == 0) continue;
    if (!output.isfinite().logical_and(output.abs().le(most)).all().item<bool>()) return false;
  }
  return true;
}

// A number of moderate size that gives NaN where smaller ones give small ones: something on the way
// overflows, as exp() in a softmax that does not subtract the largest value.
std::optional<OperatorCheckFinding> overflow_fault(const OperatorCall& call, size_t input) {
  const auto& argument = call.tensors()[input];
  if (argument.tensor.scalar_type() != at::kFloat && argument.tensor.scalar_type() != at::kDouble)
    return std::nullopt;
  for (const int64_t place : {int64_t{-1}, argument.tensor.numel() / 2}) {
    bool tame = true;
    for (const double value : {0.0, 3.0, -3.0, 10.0, -10.0, 30.0, -30.0})
      tame = tame && are_tame(outputs_with(call, input, place, value), 100);
    if (!tame) continue;
    for (const double value : {1000.0, -1000.0}) {
      const auto outputs = outputs_with(call, input, place, value);
      for (size_t o = 0; outputs && o < outputs->size(); ++o) {
        const auto& output = (*outputs)[o];
        if (!output.is_floating_point() || !at::isnan(output).any().item<bool>()) continue;
        const auto flat = at::isnan(output).reshape(-1).to(at::kByte).argmax().item<int64_t>();
        const auto where =
            place < 0 ? "every element" : "element " + index_text(index_of(argument.tensor, place));
        auto finding = failed(
            std::string(value > 0 ? "1000" : "-1000") + " in " + where + " of " + argument.name +
                " gives NaN in element " + index_text(index_of(output, flat)) + " of " +
                output_words(o, outputs->size()) + ", but 30 and -30 give numbers",
            "An intermediate value overflows to inf, and inf - inf or inf / inf is NaN. Subtract "
            "the largest value before exp(), or write the formula with exp(-|x|).");
        finding.input = argument.name;
        finding.output = static_cast<int64_t>(o);
        finding.index = index_of(output, flat);
        return finding;
      }
    }
  }
  return std::nullopt;
}

// Values that a kernel may take for an index, a count, or the end of a loop: a call that ends the
// process, or does not end, fails this check.
void call_with_extremes(const OperatorCall& call, size_t input) {
  const auto& tensor = call.tensors()[input].tensor;
  const double largest = tensor.scalar_type() == at::kDouble ? Limits::max() : 3.4e38;
  const double smallest = tensor.scalar_type() == at::kDouble ? Limits::denorm_min() : 1.5e-45;
  for (const double value :
       {Limits::infinity(), -Limits::infinity(), largest, -largest, 1e15, -1e15, smallest, -0.0}) {
    for (const int64_t place : {int64_t{-1}, tensor.numel() / 2, tensor.numel() - 1})
      outputs_with(call, input, place, value);
  }
}

// Operators that leave NaN out or sort it last, as libtorch's of these names do.
bool is_about_nan(const std::string& name) {
  const auto begin = name.rfind("::") == std::string::npos ? 0 : name.rfind("::") + 2;
  const auto base = name.substr(begin, name.find('.', begin) - begin);
  if (base.compare(0, 3, "nan") == 0) return true;
  static const std::set<std::string> names{"fmin", "fmax",   "copysign", "sort", "argsort", "msort",
                                           "topk", "median", "kthvalue", "mode", "quantile"};
  return names.count(base) > 0;
}

OperatorCheckFinding check_not_a_number(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (is_about_nan(call.callable().name))
    return skipped("an operator with this name may ignore NaN or sort it last");
  const at::NoGradGuard unrecorded;
  bool tried = false, any_floating = false;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    if (!tensor.is_floating_point() || tensor.numel() == 0) continue;
    any_floating = true;
    const auto end = Clock::now() + patience_of_places;
    for (const int64_t place : places_of(tensor)) {
      auto looked = look_at_place(call, i, place, 0.3, 0.8, /*all=*/true);
      // A largest value, a median, a clamped one does not change by so little.
      if (!looked.tried && tensor.numel() > 1)
        looked = look_at_place(call, i, place, -1000, 1000, /*all=*/false);
      if (looked.finding) return *looked.finding;
      tried = tried || looked.tried;
      if (Clock::now() > end) break;
    }
    call_with_extremes(call, i);
    if (auto fault = overflow_fault(call, i)) return *fault;
  }
  if (!any_floating) return skipped("no floating-point input has elements");
  if (!tried) return skipped("no floating-point output depends on the elements that were tried");
  return passed("NaN in any element reaches every output that depends on it");
}

const RegisteredCheck nan_check({
    .name = "nan",
    .title = "nan",
    .meaning = "A NaN in an input reaches every output that depends on this input; extreme values "
               "do not give NaN",
    .order = 130,
    .run = check_not_a_number,
    .other_shapes = true,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
