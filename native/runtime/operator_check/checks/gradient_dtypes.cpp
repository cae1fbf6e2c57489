#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "runtime/dtypes.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

Tensors converted(const Tensors& tensors, at::ScalarType dtype) {
  Tensors all;
  for (const auto& tensor : tensors) {
    const auto plain = tensor.detach();
    all.push_back(plain.is_floating_point() ? plain.to(dtype) : plain.clone());
  }
  return all;
}

struct GradientsInDtype {
  Tensors outputs, gradients;
  std::string error;  // what backward throws
};

std::optional<GradientsInDtype> evaluated(const GradientCase& given, const Tensors& inputs) {
  const auto leaves = leaves_of(inputs, given.wanted);
  const CallWithGraph recorded(given.function, leaves);
  if (!recorded.error().empty() || recorded.outputs().empty()) return std::nullopt;
  GradientsInDtype result;
  // The same numbers in each dtype.
  auto grads = recorded.grad_outputs();
  for (auto& grad : grads)
    grad = grad.to(at::kBFloat16).to(grad.scalar_type());
  const auto gradients = recorded.backward(grads, &result.error);
  for (const auto& output : recorded.outputs())
    result.outputs.push_back(output.detach().to(at::kDouble));
  if (!gradients) return result;
  for (const auto& gradient : defined_gradients(*gradients, recorded.inputs(), given.wanted))
    result.gradients.push_back(gradient.to(at::kDouble));
  return result;
}

struct Allowance {
  at::ScalarType dtype;
  double outputs, gradients;  // parts of the largest element that rounding may change
  double epsilon;
};
// Half precision is rounded at each step: only what is far off is an error there.
constexpr Allowance precisions[] = {{at::kFloat, 1e-4, 3e-4, 1.2e-7},
                                    {at::kHalf, 2e-2, 0.3, 1e-3},
                                    {at::kBFloat16, 0.1, 0.6, 8e-3}};

// How far a gradient changes where its inputs change by rounding, as a part of its largest element.
double sensitivity(const GradientCase& given, const Tensors& inputs, const GradientsInDtype& here,
                   double epsilon) {
  auto moved = inputs;
  for (const size_t place : given.wanted) {
    const auto signs = at::arange(moved[place].numel(), moved[place].options()).mul(2.4).sin();
    moved[place] = moved[place] * (1 + epsilon * signs.reshape(moved[place].sizes()));
  }
  const auto there = evaluated(given, moved);
  if (!there || there->gradients.size() != here.gradients.size()) return 1;
  double most = 0;
  for (size_t i = 0; i < here.gradients.size(); ++i) {
    if (here.gradients[i].numel() == 0) continue;
    const double size = here.gradients[i].abs().max().item<double>();
    const double change = (there->gradients[i] - here.gradients[i]).abs().max().item<double>();
    if (size > 0) most = std::max(most, change / size);
  }
  return most;
}

// Whether the gradients in a dtype were compared, and are right.
OperatorCheckFinding compared_in(const GradientCase& given, const Allowance& precision) {
  const auto name = dtype_name(precision.dtype);
  const auto where = "in " + name + ": ";
  const auto rounded = converted(given.inputs, precision.dtype);
  const auto finding = look_in_copy(where, [&](const std::function<void()>& accept) -> Finding {
    const auto exact = evaluated(given, converted(rounded, at::kDouble));
    // A kernel that reads memory as another dtype gives other outputs, if it ends at all.
    const CallWithGraph forward(given.function, leaves_of(rounded, given.wanted));
    if (!exact || !exact->error.empty() || forward.outputs().size() != exact->outputs.size()) {
      return skipped("");
    }
    const auto size_of = [](const at::Tensor& tensor) {
      return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>();
    };
    for (size_t o = 0; o < exact->outputs.size(); ++o) {
      const auto& expected = exact->outputs[o];
      const auto actual = forward.outputs()[o].detach().to(at::kDouble);
      const double allowed = precision.outputs * size_of(expected) + 1e-30;
      if (actual.sizes() != expected.sizes() ||
          !at::allclose(actual, expected, precision.outputs, allowed, /*equal_nan=*/true)) {
        return skipped("");
      }
    }
    accept();
    const auto actual = evaluated(given, rounded);
    // A backward that says that it does not take a dtype is not wrong.
    if (!actual || !actual->error.empty()) return skipped("");
    const double rounding =
        20 * sensitivity(given, converted(rounded, at::kDouble), *exact, precision.epsilon);
    const double allowed = std::max(precision.gradients, rounding);
    // Rounding alone may change the gradient by its own size.
    if (!(allowed < 1)) return skipped("");
    const auto mismatch =
        gradient_difference(actual->gradients, exact->gradients, given.wanted, allowed);
    if (!mismatch) return passed();
    auto found = mismatch_finding(given, *mismatch, where, "in float64");
    found.advice =
        "In backward, look for sums in a low-precision dtype, for literals and casts (float, int, "
        "1.0f), and for AT_DISPATCH branches that differ.";
    return found;
  });
  // Forward ended its process.
  if (!finding) return skipped("");
  return *finding;
}

OperatorCheckFinding check_gradient_dtypes(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (!given.fault.empty()) return skipped("backward throws: " + given.fault);
  if (given.fineness.epsilon > double_fineness.epsilon)
    return skipped("the operator does not compute in float64");
  for (const size_t place : given.wanted) {
    if (given.inputs[place].is_complex()) return skipped("the inputs are complex");
  }
  std::vector<std::string> same, others;
  for (const auto& precision : precisions) {
    auto found = compared_in(given, precision);
    if (found.status == CheckStatus::failed) return found;
    (found.status == CheckStatus::passed ? same : others).push_back(dtype_name(precision.dtype));
  }
  if (same.empty()) {
    return skipped(
        "in float32, float16 and bfloat16, forward or backward throws, the result of forward is "
        "wrong, or rounding changes the gradients too much to compare them");
  }
  return passed("the gradients in " + joined(same) + " agree with the gradients in float64" +
                (others.empty() ? "" : "; not compared: " + joined(others)));
}

const RegisteredCheck gradient_dtypes_check({
    .name = "gradient_dtypes",
    .title = "gradient dtypes",
    .meaning = "Gradients in float32, float16 and bfloat16 agree with the gradients in float64",
    .order = 56,
    .run = check_gradient_dtypes,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
