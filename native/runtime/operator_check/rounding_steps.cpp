#include "runtime/operator_check/rounding_steps.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace opsmith {
namespace {

constexpr int walk = 12;  // stretches of the first walk
// Relative sizes. float32's numbers lie 2^-24 to 2^-23 of their value apart.
const double smallest_step = std::ldexp(1.0, -34);
const double largest_step = std::ldexp(1.0, -19);
const double narrow = std::ldexp(1.0, -47);  // a stretch in which smooth functions stay
const double stretch_after = std::ldexp(1.0, -25);
constexpr int stretches_after = 8;  // two to four of float32's steps

// The length of a stretch, as a part of each number: a walk lets about ten of the `moved` numbers
// pass from one float32 number to the next.
double first_stretch(int64_t moved) {
  const double numbers = static_cast<double>(std::max<int64_t>(moved, 1));
  return std::clamp(std::ldexp(1.0, -24) * 16 / (walk * numbers), std::ldexp(1.0, -33),
                    std::ldexp(1.0, -26));
}

double element(const at::Tensor& tensor, int64_t flat) {
  return tensor.reshape(-1)[flat].item<double>();
}

class Walk {
 public:
  Walk(const OutputsAlong& outputs_along, size_t output)
      : outputs_along_(outputs_along), output_(output) {}

  // Of one output; undefined where the call has no such.
  at::Tensor at_distance(double t) const {
    const auto outputs = outputs_along_(t);
    return outputs && output_ < outputs->size() ? (*outputs)[output_] : at::Tensor();
  }

  // The change between two places that remains when bisection has brought them as near as `narrow`.
  // `after` is set to the place behind the jump.
  std::optional<double> jump(double from, double to, int64_t flat, double& after) const {
    const auto first = at_distance(from), last = at_distance(to);
    if (!first.defined() || !last.defined()) return std::nullopt;
    double low = element(first, flat), high = element(last, flat);
    while (to - from > narrow) {
      const double between = (from + to) / 2;
      const auto there = at_distance(between);
      if (!there.defined()) return std::nullopt;
      const double middle = element(there, flat);
      const bool is_left = std::abs(middle - low) > std::abs(high - middle);
      (is_left ? to : from) = between;
      (is_left ? high : low) = middle;
    }
    after = to;
    return std::abs(high - low);
  }

  // Whether more such jumps follow within a few of float32's steps: a single one is the function's.
  bool goes_on(double from, int64_t flat, double size) const {
    std::vector<double> changes;
    double before = 0;
    for (int i = 0; i <= stretches_after; ++i) {
      const auto there = at_distance(from + i * stretch_after);
      if (!there.defined()) return false;
      const double value = element(there, flat);
      if (i > 0) changes.push_back(value - before);
      before = value;
    }
    auto sorted = changes;
    std::nth_element(sorted.begin(), sorted.begin() + stretches_after / 2, sorted.end());
    const double usual = sorted[stretches_after / 2];
    return std::count_if(changes.begin(), changes.end(),
                         [&](double change) { return std::abs(change - usual) > size / 2; }) >= 2;
  }

 private:
  const OutputsAlong& outputs_along_;
  size_t output_;
};

// The element whose steps differ most from one stretch to the next, and where.
struct Uneven {
  int64_t flat = 0;
  int stretch = 0;  // between the places `stretch` and `stretch + 2`
};

// nullopt where no element's steps differ by more than the threshold.
std::optional<Uneven> most_uneven(const std::vector<at::Tensor>& places, double threshold) {
  std::optional<Uneven> found;
  double most = threshold;
  for (size_t i = 0; i + 2 < places.size(); ++i) {
    const auto bend = places[i].add(places[i + 2]).sub(places[i + 1], 2).abs().reshape(-1);
    // A larger jump, as of floor(), must not hide a step of float32 in another element.
    const auto telling = bend.where(bend.lt(threshold * (largest_step / smallest_step)), 0.0);
    const double bends = telling.max().item<double>();
    if (!(bends > most)) continue;
    most = bends;
    found = Uneven{telling.argmax().item<int64_t>(), static_cast<int>(i)};
  }
  return found;
}

}  // namespace

std::optional<RoundingStep> rounding_step(const OutputsAlong& outputs_along, int64_t moved) {
  const double stretch = first_stretch(moved);
  std::vector<Tensors> steps;
  for (int i = 0; i <= walk; ++i) {
    auto outputs = outputs_along(i * stretch);
    if (!outputs || (i > 0 && outputs->size() != steps[0].size())) return std::nullopt;
    steps.push_back(std::move(*outputs));
  }
  for (size_t o = 0; o < steps[0].size(); ++o) {
    std::vector<at::Tensor> places;
    for (const auto& outputs : steps) {
      const auto& output = outputs[o];
      if (output.defined() && output.scalar_type() == at::kDouble && output.numel() > 0 &&
          output.sizes() == steps[0][o].sizes() && output.isfinite().all().item<bool>())
        places.push_back(output);
    }
    if (places.size() != steps.size()) continue;
    const double largest = places[0].abs().max().item<double>();
    if (largest == 0) continue;
    const auto uneven = most_uneven(places, largest * smallest_step);
    if (!uneven) continue;
    const Walk along(outputs_along, o);
    double after = 0;
    const auto size =
        along.jump(uneven->stretch * stretch, (uneven->stretch + 2) * stretch, uneven->flat, after);
    if (!size || *size < largest * smallest_step || *size > largest * largest_step) continue;
    if (along.goes_on(after, uneven->flat, *size))
      return RoundingStep{o, uneven->flat, *size / largest};
  }
  return std::nullopt;
}

}  // namespace opsmith
