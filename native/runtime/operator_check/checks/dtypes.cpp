#include <ATen/core/grad_mode.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <optional>

#include "runtime/dtypes.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"
#include "runtime/process/forked_call.h"

namespace opsmith {
namespace {

constexpr const char* check_the_dtype =
    "Check the dtype before reading memory: use data_ptr<T>(), which throws for another dtype, or "
    "dispatch on the dtype (AT_DISPATCH_FLOATING_TYPES).";

at::Tensor in_dtype(const at::Tensor& tensor, at::ScalarType dtype) {
  // Always a copy: an operator may write to its input.
  return tensor.detach().to(dtype, /*non_blocking=*/false, /*copy=*/true);
}

Tensors converted(const OperatorCall& call, at::ScalarType dtype) {
  return call.map([&](const at::Tensor& tensor) {
    return in_dtype(tensor, tensor.is_floating_point() ? dtype : tensor.scalar_type());
  });
}

// Rounded to the narrower dtype first, so that both see the same values.
Tensors converted_to_double(const OperatorCall& call, at::ScalarType dtype) {
  auto exact = converted(call, dtype);
  for (auto& tensor : exact)
    tensor = tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
  return exact;
}

// Whether rounding the inputs once more explains how `actual` differs: a narrow dtype rounds what
// is computed of them too, as coordinates are of a grid.
bool is_rounding(const OperatorCall& call, const Tensors& exact, const Tensors& actual,
                 const Tensors& expected, at::ScalarType dtype) {
  const double epsilon = dtype == at::kHalf ? 0x1p-10 : 0x1p-7;
  constexpr int draws = 4;
  constexpr double roundings = 4;  // one after the other
  Tensors spread;
  for (const auto& output : expected)
    spread.push_back(at::zeros_like(output, at::TensorOptions().dtype(at::kDouble)));
  auto generator = at::detail::createCPUGenerator(11);
  for (int draw = 0; draw < draws; ++draw) {
    auto moved = exact;
    for (auto& tensor : moved) {
      if (!tensor.is_floating_point()) continue;
      const auto sign = at::randn(tensor.sizes(), generator, at::kDouble).sgn().to(tensor.device());
      tensor = tensor * (1 + epsilon * sign);
    }
    Tensors there;
    if (!call.try_run(moved, there).empty() || there.size() != expected.size()) return false;
    for (size_t o = 0; o < there.size(); ++o) {
      if (there[o].sizes() != expected[o].sizes()) return false;
      spread[o] = at::maximum(spread[o], (there[o] - expected[o]).abs());
    }
  }
  for (size_t o = 0; o < expected.size(); ++o) {
    if (o >= actual.size() || actual[o].sizes() != expected[o].sizes()) return false;
    const auto error = (actual[o].to(at::kDouble) - expected[o]).abs();
    const auto allowed = roundings * (spread[o] + epsilon * expected[o].abs());
    if (!error.le(allowed).all().item<bool>()) return false;
  }
  return true;
}

// Every floating input in one dtype but for one of them: the answer agrees with float64's, or the
// operator refuses.
std::optional<OperatorCheckFinding> mixed_fault(const OperatorCall& call,
                                                const std::vector<size_t>& floating) {
  constexpr at::ScalarType pairs[][2] = {
      {at::kDouble, at::kFloat}, {at::kFloat, at::kDouble}, {at::kFloat, at::kHalf}};
  for (const auto& [most, one] : pairs) {
    for (const size_t odd : floating) {
      auto given = call.fresh();
      for (const size_t i : floating)
        given[i] = in_dtype(call.tensors()[i].tensor, i == odd ? one : most);
      const auto& name = call.tensors()[odd].name;
      const auto when = "with " + name + " in " + dtype_name(one) + " and the others in " +
                        dtype_name(most) + ",";
      const auto narrow = one == at::kHalf ? at::kHalf : at::kFloat;
      const auto outcome = run_forked(
          [&]() -> std::string {
            auto exact = given;
            for (auto& tensor : exact)
              tensor =
                  in_dtype(tensor, tensor.is_floating_point() ? at::kDouble : tensor.scalar_type());
            Tensors outputs, expected;
            if (!call.try_run(given, outputs).empty()) return "";
            if (!call.try_run(exact, expected).empty()) return "";
            return finding_text(difference(outputs, expected, when, narrow));
          },
          patience);
      if (outcome.end == ForkedOutcome::End::not_started) return std::nullopt;
      if (outcome.end != ForkedOutcome::End::answered)
        return ended(outcome, when + " the call ends in " + outcome.describe(), check_the_dtype);
      if (outcome.answer.empty()) continue;
      auto finding = failed(outcome.answer + " (as in float64)", check_the_dtype);
      finding.input = name;
      return finding;
    }
  }
  return std::nullopt;
}

// Of two inputs that may change places, or that are called as those of libtorch's own operators,
// the result has the dtype that both promote to (torch.result_type), whichever comes first.
std::optional<OperatorCheckFinding> promotion_fault(const OperatorCall& call) {
  const auto& tensors = call.tensors();
  if (tensors.size() != 2 || tensors[0].tensor.sizes() != tensors[1].tensor.sizes() ||
      tensors[0].may_be_written || tensors[1].may_be_written) {
    return std::nullopt;
  }
  const auto run = [&](at::ScalarType left, at::ScalarType right, bool exchanged) {
    const auto x = in_dtype(tensors[exchanged ? 1 : 0].tensor, left);
    const auto y = in_dtype(tensors[exchanged ? 0 : 1].tensor, right);
    Tensors outputs;
    const bool ran = call.try_run({x, y}, outputs).empty() && outputs.size() == 1 &&
                     outputs[0].is_floating_point() && outputs[0].sizes() == x.sizes();
    return ran ? outputs[0] : at::Tensor();
  };
  const auto plain = run(at::kDouble, at::kDouble, false);
  const auto exchanged = run(at::kDouble, at::kDouble, true);
  if (!plain.defined() || !exchanged.defined() || plain.scalar_type() != at::kDouble)
    return std::nullopt;
  const bool may_change_places = at::equal(plain, exchanged);
  const bool by_name = tensors[0].name == "self" && tensors[1].name == "other";
  if (!may_change_places && !by_name) return std::nullopt;
  const auto first = run(at::kFloat, at::kDouble, false);
  const auto second = run(at::kDouble, at::kFloat, false);
  for (const auto& output : {first, second}) {
    if (!output.defined() || output.scalar_type() == at::kDouble) continue;
    // One that always gives float32 goes by no input.
    if (!by_name &&
        (!first.defined() || !second.defined() || first.scalar_type() == second.scalar_type())) {
      continue;
    }
    return failed(
        std::string("the output for one float32 input and one float64 input is ") +
            dtype_name(output.scalar_type()) +
            ", but torch.result_type gives float64, whichever input comes first",
        "Convert both inputs to the dtype that at::result_type gives, or refuse inputs of "
        "different dtypes.");
  }
  return std::nullopt;
}

OperatorCheckFinding check_dtypes(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("the operator draws random numbers");
  const at::NoGradGuard unrecorded;
  std::optional<at::ScalarType> given_dtype;
  for (const auto& tensor : call.values()) {
    if (tensor.is_floating_point() && !given_dtype) given_dtype = tensor.scalar_type();
  }
  if (!given_dtype) return skipped("no input has a floating-point dtype");
  std::vector<std::string> accepted, refused;
  for (const auto dtype :
       {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kComplexFloat, at::kComplexDouble,
        at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kBool}) {
    const auto name = dtype_name(dtype);
    const auto given = converted(call, dtype);
    const auto outcome = run_forked(
        [&]() -> std::string {
          Tensors outputs;
          const auto error = call.try_run(given, outputs);
          if (!error.empty()) return "refused";
          // Whole numbers and complex ones have other answers by right.
          if (!at::isFloatingType(dtype)) return "";
          // The call may have written to `given`.
          const auto exact = converted_to_double(call, dtype);
          Tensors expected;
          if (!call.try_run(exact, expected).empty()) return "";
          const auto found = difference(outputs, expected, "in " + name + ",", dtype);
          const bool is_narrow = dtype == at::kHalf || dtype == at::kBFloat16;
          if (found && is_narrow &&
              is_rounding(call, converted_to_double(call, dtype), outputs, expected, dtype)) {
            return "";
          }
          return finding_text(found);
        },
        patience);
    if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
    if (outcome.end != ForkedOutcome::End::answered)
      return ended(outcome, "in " + name + ", the call ends in " + outcome.describe(),
                   check_the_dtype);
    if (!outcome.answer.empty() && outcome.answer != "refused")
      return failed(outcome.answer + " (as in float64)", check_the_dtype);
    (outcome.answer.empty() ? accepted : refused).push_back(name);
  }
  std::vector<size_t> floating;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    if (call.tensors()[i].tensor.is_floating_point()) floating.push_back(i);
  }
  if (floating.size() > 1) {
    if (auto fault = mixed_fault(call, floating)) return *fault;
    if (floating.size() == 2) {
      if (auto fault = found_in_copy([&] { return promotion_fault(call); })) return *fault;
    }
  }
  return passed("accepts " + joined(accepted) +
                (refused.empty() ? "" : "; refuses " + joined(refused)));
}

const RegisteredCheck dtypes_check({
    .name = "dtypes",
    .title = "dtypes",
    .meaning = "The result in each accepted dtype agrees with the result in float64",
    .order = 100,
    .run = check_dtypes,
    .compares_calls = true,
});

}  // namespace
}  // namespace opsmith
