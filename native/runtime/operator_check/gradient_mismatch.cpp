#include <ATen/core/grad_mode.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/gradcheck/jacobian.h"
#include "runtime/gradcheck/jacobian_mismatch.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/finite_differences.h"

namespace opsmith {
namespace {

// Elements of all inputs are counted one after the other; a range of them is what a direction
// moves.
struct Range {
  int64_t begin = 0, end = 0;
};

// Narrows a difference between gradients and finite differences down to one element.
class Search {
 public:
  Search(const GradientCase& given, const CallWithGraph& recorded, const Tensors& grad_outputs,
         Tensors gradients)
      : given_(given),
        recorded_(recorded),
        gradients_(std::move(gradients)),
        differences_(given, recorded.inputs(), recorded.places(), grad_outputs) {
    auto generator = at::detail::createCPUGenerator(0);
    for (size_t i = 0; i < given.wanted.size(); ++i) {
      const auto& input = recorded.inputs()[given.wanted[i]].detach();
      const auto options = at::TensorOptions().dtype(input.scalar_type());
      auto random = at::randn(input.sizes(), generator, options).to(input.device());
      // As far as an element is large, and never along none of them.
      const auto scale = input.abs() + 0.1;
      directions_.push_back(((random.sgn() * (random.abs() + 0.5)) * scale).contiguous());
      whole_.end += input.numel();
    }
  }

  std::optional<GradientMismatch> find() {
    // Each turn leaves out an element that finite differences cannot tell about.
    constexpr int most_turns = 6;
    for (int turn = 0; turn < most_turns; ++turn) {
      auto found = not_a_number();
      if (!found) {
        if (whole_.end == 0 || excess(whole_) <= 0) return std::nullopt;
        found = narrowed(whole_);
      }
      if (!found) return std::nullopt;
      if (auto mismatch = confirmed(*found)) return mismatch;
      const auto [input, flat] = place_of(*found);
      directions_[input].view(-1)[flat].zero_();
      gradients_[input] = gradients_[input].contiguous().clone();
      gradients_[input].view(-1)[flat].zero_();
    }
    return std::nullopt;
  }

 private:
  std::pair<size_t, int64_t> place_of(int64_t element) const {
    size_t input = 0;
    while (element >= directions_[input].numel())
      element -= directions_[input++].numel();
    return {input, element};
  }

  // For each input of the call.
  Tensors direction(Range range) const {
    Tensors all(recorded_.inputs().size());
    int64_t first = 0;
    for (size_t i = 0; i < directions_.size(); ++i) {
      const auto& whole = directions_[i];
      const int64_t begin = std::max(range.begin - first, int64_t{0});
      const int64_t end = std::min(range.end - first, whole.numel());
      first += whole.numel();
      if (begin >= end) continue;
      auto part = at::zeros_like(whole);
      part.view(-1).slice(0, begin, end).copy_(whole.view(-1).slice(0, begin, end));
      all[given_.wanted[i]] = std::move(part);
    }
    return all;
  }

  struct Sums {
    double product = 0, terms = 0;
  };
  Sums analytical(const Tensors& along) const {
    Sums sums;
    for (size_t i = 0; i < given_.wanted.size(); ++i) {
      const auto& direction = along[given_.wanted[i]];
      if (!direction.defined()) continue;
      const auto dtype = direction.is_complex() ? at::kComplexDouble : at::kDouble;
      const auto product = gradients_[i].to(dtype).conj() * direction.to(dtype);
      const auto terms = product.is_complex() ? at::real(product) : product;
      sums.product += terms.sum().item<double>();
      sums.terms += terms.abs().sum().item<double>();
    }
    return sums;
  }

  // How far the two differ beyond what they may; not above 0 where they agree, or where finite
  // differences cannot tell.
  double excess(Range range) const {
    const auto along = direction(range);
    const auto slope = differences_.along(along, given_.fineness.step);
    if (!slope) return 0;
    const auto [product, terms] = analytical(along);
    const double allowed =
        given_.fineness.tolerance * std::max(terms, std::abs(slope->value)) + 4 * slope->error;
    return std::abs(product - slope->value) - allowed;
  }

  std::optional<int64_t> narrowed(Range range) const {
    while (range.end - range.begin > 1) {
      const int64_t middle = (range.begin + range.end) / 2;
      const Range left{range.begin, middle}, right{middle, range.end};
      const double of_left = excess(left), of_right = excess(right);
      if (of_left <= 0 && of_right <= 0) return std::nullopt;
      range = of_left > of_right ? left : right;
    }
    return range.begin;
  }

  std::optional<int64_t> not_a_number() const {
    int64_t first = 0;
    for (const auto& gradient : gradients_) {
      const auto wrong = gradient.isfinite().logical_not().reshape(-1);
      if (wrong.any().item<bool>()) return first + wrong.to(at::kByte).argmax().item<int64_t>();
      first += gradient.numel();
    }
    return std::nullopt;
  }

  // The element by itself, with two steps: kinks and rounding are no mismatch.
  std::optional<GradientMismatch> confirmed(int64_t element) const {
    const auto along = direction({element, element + 1});
    const double step = given_.fineness.step;
    const auto wide = differences_.along(along, step), close = differences_.along(along, step / 4);
    if (!wide || !close) return std::nullopt;
    const auto [input, flat] = place_of(element);
    const double length = length_of(input, flat);  // with its sign
    if (length == 0) return std::nullopt;
    const double product = analytical(along).product;
    // Where a gradient overflows, so do those of libtorch's own.
    if (std::isinf(product)) return std::nullopt;
    const bool is_number = std::isfinite(product);
    const double difference = is_number ? std::abs(product - wide->value)
                                        : 0.1 * std::max(std::abs(wide->value), std::abs(length));
    const double larger = std::max(is_number ? std::abs(product) : 0, std::abs(wide->value));
    // Beside grad_outputs of about 1, what is below that is rounding.
    constexpr double smallest = 1e-9;
    if (difference <= given_.fineness.least * larger + 4 * (wide->error + close->error) +
                          smallest * std::abs(length)) {
      return std::nullopt;
    }
    if (std::abs(close->right - close->left) > 0.3 * difference) return std::nullopt;
    if (std::abs(close->value - wide->value) > 0.1 * difference) return std::nullopt;
    // A slope that grows as the step shrinks says nothing: the function changes within less than a
    // step, as x / max(|x|, 1e-8) does at 0.
    const bool is_steeper =
        std::abs(close->value) > 1.5 * std::abs(wide->value) + 4 * close->rounding;
    if (is_steeper && std::abs(wide->value) > 4 * wide->rounding) return std::nullopt;
    const auto& tensor = directions_[input];
    return GradientMismatch{given_.wanted[input], index_of(tensor, flat), product / length,
                            wide->value / length, ""};
  }

  double length_of(size_t input, int64_t flat) const {
    const auto element = directions_[input].view(-1)[flat];
    return element.is_complex() ? element.abs().item<double>() : element.item<double>();
  }

  const GradientCase& given_;
  const CallWithGraph& recorded_;
  Tensors gradients_, directions_;  // by the places in `wanted`
  FiniteDifferences differences_;
  Range whole_;
};

// What the pattern of small Jacobians tells; "" when they are large.
std::string cause_of(const GradientCase& given, const CallWithGraph& recorded, size_t input) {
  constexpr int64_t most_elements = 4096, most_rows = 256;
  int64_t rows = 0, columns = 0;
  for (const size_t place : given.wanted)
    rows += recorded.inputs()[place].numel();
  for (const auto& output : recorded.outputs()) {
    columns += output.numel();
    if (output.is_complex()) return "";
  }
  const auto& tensor = recorded.inputs()[input];
  if (rows > most_rows || rows * columns > most_elements || tensor.is_complex()) return "";
  if (tensor.scalar_type() != at::kDouble) return "";
  // Where the operator stops at a step, the finding goes without a cause.
  try {
    const auto wanted = std::find(given.wanted.begin(), given.wanted.end(), input);
    const auto place = static_cast<size_t>(wanted - given.wanted.begin());
    const auto of_outputs = [&](const Tensors& inputs) {
      const auto all = given.function(inputs);
      Tensors outputs;
      for (const size_t output : recorded.places())
        outputs.push_back(all.at(output));
      return outputs;
    };
    const auto inputs = leaves_of(recorded.inputs(), given.wanted);
    const at::AutoGradMode recording(true);
    const auto outputs = of_outputs(inputs);
    constexpr double eps = 1e-6, rtol = 1e-3, atol = 1e-5;
    const auto numerical = numerical_jacobians(of_outputs, inputs, outputs, eps);
    for (size_t o = 0; o < outputs.size(); ++o) {
      const auto analytical = backward_jacobian(inputs, outputs[o], std::nullopt).jacobians[place];
      const auto from = tensor.sizes().vec(), to = outputs[o].sizes().vec();
      const auto& expected = numerical[place][o];
      if (compare_jacobians(analytical, expected, from, to, rtol, atol).matches) continue;
      return likely_cause(analytical, expected, from, to, rtol, atol);
    }
  } catch (...) {
    return "";
  }
  return "";
}

}  // namespace

std::optional<GradientMismatch> gradient_mismatch(const GradientCase& given, const Tensors& inputs,
                                                  std::string* error) {
  const CallWithGraph recorded(given.function, leaves_of(inputs, given.wanted));
  if (!recorded.error().empty() || recorded.outputs().empty()) return std::nullopt;
  const auto grad_outputs = recorded.grad_outputs();
  // Backward may write to what it is given.
  const auto gradients = recorded.backward(recorded.grad_outputs(), error);
  if (!gradients) return std::nullopt;
  Search search(given, recorded, grad_outputs,
                defined_gradients(*gradients, recorded.inputs(), given.wanted));
  auto mismatch = search.find();
  if (mismatch) mismatch->cause = cause_of(given, recorded, mismatch->input);
  return mismatch;
}

OperatorCheckFinding mismatch_finding(const GradientCase& given, const GradientMismatch& mismatch,
                                      const std::string& where, const std::string& reference) {
  const auto& name = given.names[mismatch.input];
  const auto cause = mismatch.cause.empty() ? "" : ". " + mismatch.cause;
  auto finding = failed(where + "element " + index_text(mismatch.index) + " of the gradient of " +
                            name + " is " + number_text(mismatch.analytical) + ", but " +
                            reference + " it is " + number_text(mismatch.numerical) + cause,
                        "Compare backward with the derivative of forward. `opsmith gradcheck` "
                        "shows the whole Jacobian. If the gradient differs on purpose, for example "
                        "in a straight-through estimator, skip this check: add \"skip\": "
                        "{\"CHECK\": \"REASON\"} to the entry of the operator in \"checks\" of "
                        "opsmith.json.");
  finding.input = name;
  finding.index = mismatch.index;
  return finding;
}

}  // namespace opsmith
