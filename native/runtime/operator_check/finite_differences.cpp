#include "runtime/operator_check/finite_differences.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>

namespace opsmith {
namespace {

// As float64, or complex128; conjugated views and the like as what they stand for.
at::Tensor widened(const at::Tensor& tensor) {
  const auto plain = tensor.detach().resolve_conj().resolve_neg();
  return plain.to(plain.is_complex() ? at::kComplexDouble : at::kDouble);
}

// The real part of sum(conj(left) * right): what a step along `right` changes.
double product(const at::Tensor& left, const at::Tensor& right) {
  const auto terms = left.is_complex() ? at::real(left.conj() * right) : left * right;
  return terms.sum().item<double>();
}

}  // namespace

FiniteDifferences::FiniteDifferences(const GradientCase& given, const Tensors& inputs,
                                     const std::vector<size_t>& places, const Tensors& grad_outputs)
    : given_(given), inputs_(inputs), places_(places), grad_outputs_(grad_outputs) {
  here_ = outputs_at(Tensors(inputs.size()), 0);
  if (!here_) return;
  for (size_t o = 0; o < here_->size(); ++o)
    magnitude_ += ((*here_)[o] * widened(grad_outputs[o])).abs().sum().item<double>();
}

std::optional<Tensors> FiniteDifferences::outputs_at(const Tensors& direction,
                                                     double distance) const {
  Tensors moved, outputs;
  {
    const at::NoGradGuard unrecorded;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto plain = inputs_[i].detach();
      moved.push_back(direction[i].defined() ? plain + distance * direction[i] : plain.clone());
      if (given_.is_recorded && inputs_[i].requires_grad()) moved[i].requires_grad_();
    }
  }
  const at::AutoGradMode recording(given_.is_recorded);
  try {
    outputs = given_.function(moved);
  } catch (...) {
    return std::nullopt;
  }
  const at::NoGradGuard unrecorded;
  Tensors found;
  for (size_t o = 0; o < places_.size(); ++o) {
    if (places_[o] >= outputs.size()) return std::nullopt;
    const auto& output = outputs[places_[o]];
    if (output.sizes() != grad_outputs_[o].sizes()) return std::nullopt;
    if (!output.isfinite().all().item<bool>()) return std::nullopt;
    // A copy: the function may give the same memory each time.
    found.push_back(widened(output).clone());
  }
  return found;
}

double FiniteDifferences::change(const Tensors& from, const Tensors& to) const {
  double sum = 0;
  for (size_t o = 0; o < from.size(); ++o)
    sum += product(widened(grad_outputs_[o]), to[o] - from[o]);
  return sum;
}

std::optional<Slope> FiniteDifferences::along(const Tensors& direction, double step) const {
  if (!here_) return std::nullopt;
  const at::NoGradGuard unrecorded;
  Slope slope;
  double values[3] = {};
  constexpr double parts[] = {1, 1.7, 3};
  for (int i = 0; i < 3; ++i) {
    const double distance = step * parts[i];
    const auto below = outputs_at(direction, -distance), above = outputs_at(direction, distance);
    if (!below || !above) return std::nullopt;
    values[i] = change(*below, *above) / (2 * distance);
    if (i > 0) continue;
    slope.right = change(*here_, *above) / distance;
    slope.left = change(*below, *here_) / distance;
  }
  slope.value = values[0];
  // The error of a central difference grows with the square of its step.
  slope.rounding = 16 * given_.fineness.epsilon * magnitude_ / step;
  slope.error = std::max(std::abs(values[0] - values[1]), std::abs(values[0] - values[2]) / 4) +
                slope.rounding;
  return slope;
}

}  // namespace opsmith
