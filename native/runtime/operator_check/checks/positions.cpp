#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <limits>
#include <optional>
#include <string>

#include "runtime/json_text.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"

namespace opsmith {
namespace {

constexpr int64_t whole = 67;  // whole vectors up to 64, and a tail
constexpr int64_t most_of_size = 1 << 18;
// Counts of elements that a loop over vectors of 16 finishes without a tail, and that it does not.
constexpr int64_t even_counts[] = {16, 32, 64};
constexpr int64_t odd_counts[] = {1, 2, 3, 5, 6, 7, 9, 13, 15, 17, 31, 33, 63, 65};
constexpr int64_t few_odd_counts[] = {1, 3, 7, 13};

// A size of the inputs that is set to `whole`, and what the operator gives then.
struct Resized {
  const OperatorCall& call;
  int64_t size;
  Tensors inputs, outputs;

  // The dimensions of a tensor whose size was set.
  static bool is_resized(const at::Tensor& tensor, int64_t dim) {
    return tensor.size(dim) == whole;
  }

  static at::Tensor first(at::Tensor tensor, int64_t count) {
    for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
      if (is_resized(tensor, dim)) tensor = tensor.narrow(dim, 0, count);
    }
    return tensor.clone(at::MemoryFormat::Contiguous);
  }

  // What differs in the first `count` elements when no others are given.
  std::optional<OperatorCheckFinding> cut_fault(int64_t count, const std::string& values) const {
    Tensors cut, actual, expected;
    for (const auto& input : inputs)
      cut.push_back(first(input, count));
    if (!call.try_run(cut, actual).empty()) return std::nullopt;
    for (const auto& output : outputs)
      expected.push_back(first(output, count));
    return difference(actual, expected,
                      "with " + std::to_string(count) + " instead of " + std::to_string(whole) +
                          " elements" + values + ",");
  }

  // Whether the outputs for the first elements are those of the whole: shapes too.
  bool is_local() const {
    for (const int64_t count : even_counts) {
      Tensors cut, actual;
      for (const auto& input : inputs)
        cut.push_back(first(input, count));
      if (!call.try_run(cut, actual).empty() || actual.size() != outputs.size()) return false;
      if (cut_fault(count, "")) return false;
    }
    bool any = false;
    for (const auto& output : outputs) {
      for (int64_t dim = 0; dim < output.dim(); ++dim)
        any = any || is_resized(output, dim);
    }
    return any;
  }

  // Whether an output's place depends on the inputs in the same place alone: blocks, windows and
  // neighbours may be cut apart.
  bool is_elementwise() const {
    for (const int64_t place : {int64_t{0}, int64_t{21}, whole - 1}) {
      Tensors changed, actual;
      for (const auto& input : inputs) {
        changed.push_back(input.clone());
        if (!input.is_floating_point()) continue;
        for (int64_t dim = 0; dim < input.dim(); ++dim) {
          if (is_resized(input, dim)) changed.back().select(dim, place).mul_(1.5).add_(0.25);
        }
      }
      if (!call.try_run(changed, actual).empty() || actual.size() != outputs.size()) return false;
      for (size_t o = 0; o < outputs.size(); ++o) {
        if (actual[o].sizes() != outputs[o].sizes()) return false;
        auto differs = actual[o].ne(outputs[o]);
        for (int64_t dim = 0; dim < differs.dim(); ++dim) {
          if (is_resized(differs, dim)) differs.select(dim, place).fill_(false);
        }
        if (differs.any().item<bool>()) return false;
      }
    }
    return true;
  }
};

// Inputs that are all different along the size, or all of one value.
Tensors resized_inputs(const OperatorCall& call, int64_t size, std::optional<double> value) {
  auto inputs = with_other_size(call.values(), size, whole);
  for (auto& input : inputs) {
    if (!input.is_floating_point()) continue;
    if (value) {
      input.fill_(*value);
    } else {
      const auto places = at::arange(input.numel(), at::kDouble).view(input.sizes());
      input.mul_(places.sin().mul(0.01).add(1).to(input.scalar_type()));
    }
  }
  return inputs;
}

bool is_small(const Tensors& inputs) {
  for (const auto& input : inputs) {
    if (input.numel() > most_of_size) return false;
  }
  return true;
}

struct PositionsLook {
  bool tried = false;
  std::optional<OperatorCheckFinding> finding;
};

PositionsLook look_at_positions(const OperatorCall& call, int64_t size) {
  PositionsLook looked;
  Resized resized{call, size, resized_inputs(call, size, std::nullopt), {}};
  if (!is_small(resized.inputs)) return looked;
  const auto run = [&] {
    Tensors inputs;
    for (const auto& input : resized.inputs)
      inputs.push_back(input.clone());
    return call.try_run(inputs, resized.outputs).empty();
  };
  if (!run() || !resized.is_local() || !resized.is_elementwise()) return looked;
  looked.tried = true;
  for (const int64_t count : odd_counts) {
    looked.finding = resized.cut_fault(count, "");
    if (looked.finding) return looked;
  }
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 1e-310, -0.0, 88.0, -88.0}) {
    resized.inputs = resized_inputs(call, size, value);
    if (!run() || !resized.is_local()) continue;
    for (const int64_t count : few_odd_counts) {
      looked.finding = resized.cut_fault(count, " that are all " + shortest_text(value));
      if (looked.finding) return looked;
    }
  }
  return looked;
}

OperatorCheckFinding check_positions(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  if (auto reason = not_resizable(call); !reason.empty()) return skipped(reason);
  for (const auto& tensor : call.tensors()) {
    if (tensor.may_be_written) return skipped("the operator writes to " + tensor.name);
  }
  const at::NoGradGuard unrecorded;
  bool tried = false;
  for (const int64_t size : resizable_sizes(call)) {
    bool is_elementwise = false;
    auto found = found_in_copy([&]() -> std::optional<OperatorCheckFinding> {
      auto looked = look_at_positions(call, size);
      if (looked.finding) return looked.finding;
      // Not a failure: it says that the size was looked at.
      return looked.tried ? std::optional(passed("tried")) : std::nullopt;
    });
    is_elementwise = found.has_value();
    tried = tried || is_elementwise;
    if (!found || found->status != CheckStatus::failed) continue;
    found->advice =
        "Check the tail of the loop, which computes the elements after the last whole vector or "
        "block. The tail must give the same results as the loop, also for special values.";
    return *found;
  }
  if (!tried) return skipped("no output is computed element by element");
  return passed("an element's result does not depend on its position or on the number of elements");
}

const RegisteredCheck positions_check({
    .name = "positions",
    .title = "positions",
    .meaning =
        "The result of an element is the same in a vector loop and in the tail after the loop",
    .order = 135,
    .run = check_positions,
    .compares_calls = true,
    .can_shrink = false,
});

}  // namespace
}  // namespace opsmith
