#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/finding_text.h"
#include "runtime/operator_check/other_calls.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

// The call with another value of one argument that is no tensor, or None in a tensor's place.
OperatorCall with_argument(const OperatorCall& call, size_t argument, c10::IValue value) {
  auto arguments = call.arguments();
  arguments[argument] = std::move(value);
  return {call.callable(), std::move(arguments)};
}

std::optional<Tensors> results(const OperatorCall& call) {
  try {
    return results_of(call, call.fresh());
  } catch (...) {
    return std::nullopt;
  }
}

int64_t largest_rank(const OperatorCall& call) {
  int64_t rank = 0;
  for (const auto& tensor : call.values())
    rank = std::max(rank, tensor.dim());
  return rank;
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

// ---- dim: -1 is the last one

// nullopt where the argument is no dimension.
std::optional<c10::IValue> dimension(const c10::IValue& like, int64_t dim) {
  if (like.isInt()) return c10::IValue(dim);
  if (like.isIntList() && like.toIntVector().size() == 1)
    return c10::IValue(std::vector<int64_t>{dim});
  return std::nullopt;
}

std::optional<OperatorCheckFinding> dim_fault(const OperatorCall& call, size_t argument,
                                              const std::string& name) {
  const auto& given = call.arguments()[argument];
  const auto rank = largest_rank(call);
  for (int64_t dim = 0; dim < rank; ++dim) {
    const auto plain_value = dimension(given, dim), negative_value = dimension(given, dim - rank);
    if (!plain_value || !negative_value) return std::nullopt;
    const auto expected = results(with_argument(call, argument, *plain_value));
    if (!expected || expected->empty()) continue;
    const auto actual = results(with_argument(call, argument, *negative_value));
    if (!actual) continue;  // it refuses them
    const auto text = name + " = " + std::to_string(dim - rank);
    auto finding =
        difference(*actual, *expected,
                   "with " + text + " instead of " + name + " = " + std::to_string(dim) + ",");
    if (!finding) continue;
    // Where a dimension is added, there is one more to count from the end.
    if (!actual->empty() && (*actual)[0].dim() > rank) {
      const auto next = results(with_argument(call, argument, *dimension(given, dim + 1)));
      if (next && !difference(*actual, *next, "")) continue;
    }
    finding->advice =
        "Count negative dimensions from the end (at::maybe_wrap_dim), or refuse them.";
    return finding;
  }
  return std::nullopt;
}

// ---- keepdim: the same values, with a size of 1

std::optional<OperatorCheckFinding> keepdim_fault(const OperatorCall& call, size_t argument,
                                                  const std::string& name) {
  const auto kept = results(with_argument(call, argument, true));
  const auto dropped = results(with_argument(call, argument, false));
  if (!kept || !dropped || kept->empty() || kept->size() != dropped->size()) return std::nullopt;
  const auto& with = (*kept)[0];
  const auto& without = (*dropped)[0];
  if (largest_rank(call) == 0) return std::nullopt;
  const char* advice =
      "With keepdim, each reduced dimension must have size 1. Without keepdim, reduced dimensions "
      "must be removed.";
  if (with.sizes() == without.sizes()) {
    return failed(name + " has no effect: output 0 has shape " + index_text(with.sizes().vec()) +
                      " for True and for False",
                  advice);
  }
  if (with.numel() != without.numel()) {
    return failed("with " + name + " = True, output 0 has shape " + index_text(with.sizes().vec()) +
                      ", but with " + name + " = False, output 0 has shape " +
                      index_text(without.sizes().vec()),
                  advice);
  }
  auto finding =
      difference({with.reshape(without.sizes())}, {without}, "with " + name + " = True,");
  if (finding) finding->advice = advice;
  return finding;
}

// ---- Tensor?: what is given has an effect

bool are_same(const Tensors& left, const Tensors& right) {
  if (left.size() != right.size()) return false;
  for (size_t o = 0; o < left.size(); ++o) {
    if (!same_bits(left[o], right[o])) return false;
  }
  return true;
}

// Tensors of a shape that nobody would take for each other.
Tensors candidates(at::IntArrayRef shape, at::ScalarType dtype) {
  const auto places = at::arange(1, c10::multiply_integers(shape) + 1, at::kDouble).view(shape);
  if (dtype == at::kBool) return {at::zeros(shape, at::kBool), places.remainder(2).eq(0)};
  return {places.sin().to(dtype), at::full(shape, 1000, dtype), at::full(shape, -1000, dtype)};
}

// The shapes that an optional tensor may have next to the others.
std::vector<std::vector<int64_t>> likely_shapes(const OperatorCall& call) {
  std::vector<std::vector<int64_t>> shapes;
  const auto add = [&](std::vector<int64_t> shape) {
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end())
      shapes.push_back(std::move(shape));
  };
  for (const auto& tensor : call.values()) {
    if (tensor.dim() == 0) continue;
    add({tensor.sizes().back()});
    add(tensor.sizes().vec());
    add({tensor.size(0)});
    if (tensor.dim() > 1) add({tensor.size(1)});
  }
  return shapes;
}

// An operator that looks at an optional tensor gives other results with it, at least with one of
// several that it accepts.
std::optional<OperatorCheckFinding> optional_fault(const OperatorCall& call, size_t argument,
                                                   const std::string& name) {
  const auto& given = call.arguments()[argument];
  const auto without = results(with_argument(call, argument, c10::IValue()));
  std::vector<std::vector<int64_t>> shapes;
  at::ScalarType dtype = at::kFloat;
  if (given.isTensor()) {
    const auto& tensor = given.toTensor();
    if (at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false)) return std::nullopt;
    shapes.push_back(tensor.sizes().vec());
    dtype = tensor.scalar_type();
  } else {
    shapes = likely_shapes(call);
    for (const auto& tensor : call.values()) {
      if (tensor.is_floating_point()) dtype = tensor.scalar_type();
    }
  }
  size_t accepted = 0;
  std::optional<Tensors> first = without;
  for (const auto& shape : shapes) {
    for (const auto& tensor : candidates(shape, dtype)) {
      const auto with = results(with_argument(call, argument, tensor));
      if (!with) continue;
      ++accepted;
      if (!first) first = with;
      if (!are_same(*with, *first)) return std::nullopt;
    }
  }
  if (accepted < 2 || !first || first->empty()) return std::nullopt;
  auto finding = failed(name + " has no effect: the results are bit for bit the same with " +
                            std::to_string(accepted) + " different tensors" +
                            (without ? ", and without a tensor" : ""),
                        "Use this argument, or remove it from the schema.");
  finding.input = name;
  return finding;
}

bool is_optional_tensor(const c10::Argument& argument) {
  const auto& type = argument.real_type();
  return type->kind() == c10::TypeKind::OptionalType &&
         type->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::TensorType;
}

OperatorCheckFinding check_conventions(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  const at::NoGradGuard unrecorded;
  const auto& arguments = call.callable().schema.arguments();
  std::vector<std::string> tried;
  for (size_t i = 0; i < arguments.size() && i < call.arguments().size(); ++i) {
    const auto& name = arguments[i].name();
    const auto& value = call.arguments()[i];
    std::optional<OperatorCheckFinding> (*look)(const OperatorCall&, size_t, const std::string&) =
        nullptr;
    if (is_one_of(name, {"dim", "axis"}) && dimension(value, 0)) look = dim_fault;
    if (is_one_of(name, {"keepdim", "keep_dim", "keepdims"}) && value.isBool())
      look = keepdim_fault;
    const bool is_written_to = is_written(arguments[i].alias_info());
    if (is_optional_tensor(arguments[i]) && !is_written_to) look = optional_fault;
    if (look == nullptr) continue;
    tried.push_back(name);
    // In a copy: a dimension that is not counted from the end reads memory before a tensor.
    const auto outcome = run_forked(
        [&]() -> std::string {
          try {
            const auto finding = look(call, i, name);
            return finding ? packed(*finding) : "";
          } catch (...) {
            return "";
          }
        },
        patience);
    if (outcome.ended() && look == dim_fault) {
      return ended(outcome,
                   "with other values of " + name +
                       ", including negative values, the call ends in " + outcome.describe(),
                   "Count negative dimensions from the end (at::maybe_wrap_dim), or refuse them.");
    }
    if (outcome.end != ForkedOutcome::End::answered || outcome.answer.empty()) continue;
    return unpacked(outcome.answer);
  }
  if (tried.empty()) return skipped("no argument is a dim, a keepdim or an optional tensor");
  return passed("arguments behave as in PyTorch, or the operator refuses them: " + joined(tried));
}

const RegisteredCheck conventions_check({
    .name = "conventions",
    .title = "conventions",
    .meaning =
        "dim = -1 is the last dimension, keepdim keeps a size of 1, and optional tensors have an "
        "effect",
    .order = 125,
    .run = check_conventions,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
