#include <ATen/core/grad_mode.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

// LookedAt to look at, and how they are said: "with x[1, 0] = 0".
struct LookedAt {
  std::string name;
  Tensors inputs;
  bool are_single = true;  // at most two elements of the inputs are equal
  bool has_slopes = true;  // finite differences tell something there
};

// At a point where a function has a kink, any gradient between those around it will do. Where the
// gradients around it are all the same, the one at the point must be the same too.
class Around {
 public:
  Around(const GradientCase& given, const Tensors& at) : given_(given), at_(at) {}

  Finding fault(const std::string& where, bool are_single) {
    const auto here = gradients_of(at_, &thrown_);
    if (!here || !collect(*here)) return std::nullopt;
    for (size_t i = 0; i < given_.wanted.size(); ++i) {
      if (are_single) {
        if (auto found = difference_in(i, (*here).gradients[i], where)) return found;
      }
      if (auto found = difference_in_sums(i, (*here).gradients[i], where)) return found;
    }
    return are_single ? difference_together((*here).gradients, where) : std::nullopt;
  }

  // What backward throws at the point. It is not a failure: libtorch's backward of eig rightly
  // throws for equal eigenvalues.
  const std::string& thrown() const { return thrown_; }

 private:
  struct Evaluated {
    Tensors outputs, gradients;
  };

  std::optional<Evaluated> gradients_of(const Tensors& inputs,
                                        std::string* thrown = nullptr) const {
    const auto leaves = leaves_of(inputs, given_.wanted);
    const CallWithGraph recorded(given_.function, leaves);
    if (!recorded.error().empty() || recorded.outputs().empty()) return std::nullopt;
    for (const auto& output : recorded.outputs()) {
      if (!output.isfinite().all().item<bool>()) return std::nullopt;
    }
    const auto gradients = recorded.backward(recorded.grad_outputs(), thrown);
    if (!gradients) return std::nullopt;
    return Evaluated{recorded.outputs(),
                     defined_gradients(*gradients, recorded.inputs(), given_.wanted)};
  }

  // Gradients around the point: to both sides of it along several lines, each input up while the
  // others go down, all up, all down. False where the function jumps, or is not finite around it.
  bool collect(const Evaluated& here) {
    auto generator = at::detail::createCPUGenerator(7);
    const size_t inputs = given_.wanted.size();
    constexpr size_t lines = 4;
    for (size_t line = 0; line < lines + 1 + (inputs > 1 ? inputs : 0); ++line) {
      Tensors steps;
      for (size_t i = 0; i < inputs; ++i) {
        const auto& input = at_[given_.wanted[i]];
        const auto options = at::TensorOptions().dtype(input.scalar_type());
        auto step = at::randn(input.sizes(), generator, options).to(input.device());
        if (line >= lines) step = step.abs();
        if (line > lines && line - lines - 1 != i) step = -step;
        steps.push_back(step * (input.detach().abs().clamp_max(1e3) + 0.1) * given_.fineness.step);
      }
      for (const double side : {1.0, -1.0}) {
        auto moved = at_;
        for (size_t i = 0; i < inputs; ++i)
          moved[given_.wanted[i]] = at_[given_.wanted[i]].detach() + side * steps[i];
        auto there = gradients_of(moved);
        if (!there || jumps(here.outputs, there->outputs)) return false;
        around_.push_back(std::move(there->gradients));
      }
    }
    return true;
  }

  static bool jumps(const Tensors& here, const Tensors& there) {
    constexpr double near = 0.01;
    for (size_t o = 0; o < here.size(); ++o) {
      if (o >= there.size() || here[o].sizes() != there[o].sizes()) return true;
      const double size = here[o].numel() == 0 ? 0 : here[o].abs().max().item<double>();
      if (!at::allclose(there[o], here[o], near, near * size + 1e-6)) return true;
    }
    return false;
  }

  struct Bounds {
    at::Tensor least, most;
  };
  template <class Part>
  Bounds bounds(size_t input, const Part& part) const {
    Tensors values;
    for (const auto& gradients : around_)
      values.push_back(part(gradients[input]));
    const auto all = at::stack(values);
    return {std::get<0>(all.min(0)), std::get<0>(all.max(0))};
  }

  // Elements of `actual` that differ from gradients around them that are all the same.
  at::Tensor wrong_in(const Bounds& bounds, const at::Tensor& actual) const {
    const auto& [least, most] = bounds;
    const auto width = most - least;
    const auto size = at::maximum(least.abs(), most.abs());
    const auto finite = at::where(size.isfinite(), size, at::zeros({}, size.options()));
    if (finite.numel() == 0) return at::zeros({0}, at::kBool);
    const double largest = finite.max().item<double>();
    constexpr double narrow = 0.01, telling = 1e-3;
    const auto same = width <= narrow * at::clamp_min(size, telling * largest);
    const auto allowed = width + given_.fineness.least * at::clamp_min(size, telling * largest);
    const auto outside = at::logical_not((actual >= least - allowed) & (actual <= most + allowed));
    // Of a gradient that is zero everywhere nothing is known but that it is no number.
    const bool is_flat = largest < 1e-8;
    const auto counts = is_flat ? at::isnan(actual) : outside;
    return same & counts & least.isfinite() & most.isfinite();
  }

  Finding difference_in(size_t input, const at::Tensor& actual, const std::string& where) const {
    if (actual.is_complex() || actual.numel() == 0) return std::nullopt;
    const auto around = bounds(input, [](const at::Tensor& gradient) { return gradient; });
    const auto wrong = wrong_in(around, actual).reshape(-1);
    if (!wrong.any().item<bool>()) return std::nullopt;
    const auto flat = wrong.to(at::kByte).argmax().item<int64_t>();
    const auto& name = given_.names[given_.wanted[input]];
    auto finding =
        failed(where + "element " + index_text(index_of(actual, flat)) + " of the gradient of " +
                   name + " is " + element_words(actual, flat) + ", but next to this point it is " +
                   element_words(around.least, flat),
               "Look for divisions by zero, 0 * inf, and comparisons (== 0, > 1, …) that "
               "forward does not make.");
    finding.input = name;
    finding.index = index_of(actual, flat);
    return finding;
  }

  // Which of several equal elements gets the gradient is for the operator to choose; how much they
  // get together is not.
  Finding difference_in_sums(size_t input, const at::Tensor& actual,
                             const std::string& where) const {
    if (actual.is_complex() || actual.numel() < 2) return std::nullopt;
    const auto& name = given_.names[given_.wanted[input]];
    for (int64_t dim = -1; dim < actual.dim(); ++dim) {
      const auto sum = [dim](const at::Tensor& gradient) {
        return dim < 0 ? gradient.sum().reshape(1) : gradient.sum(dim).reshape(-1);
      };
      const auto around = bounds(input, sum);
      const auto here = sum(actual);
      // A gradient that is no number at a kink is for the operator to choose too.
      const auto wrong = wrong_in(around, here) & here.isfinite();
      if (!wrong.any().item<bool>()) continue;
      const auto flat = wrong.to(at::kByte).argmax().item<int64_t>();
      // Sums of which the terms cancel are rounding.
      const double size = actual.abs().sum().item<double>();
      const double apart = (here[flat] - around.least[flat]).abs().item<double>();
      if (!(apart > 1e-3 * size)) continue;
      auto finding = failed(
          where + "the gradient of " + name +
              (dim < 0 ? ", summed over all elements, is "
                       : ", summed along dimension " + std::to_string(dim) + ", is ") +
              element_words(here, flat) + ", but next to this point the sum is " +
              element_words(around.least, flat),
          "If values are equal, give the whole gradient to one of them, or divide it among them.");
      finding.input = name;
      return finding;
    }
    return std::nullopt;
  }

  // What two inputs of a shape get together, as the larger of two numbers does where they are
  // equal.
  Finding difference_together(const Tensors& actual, const std::string& where) const {
    if (actual.size() < 2 || actual[0].numel() == 0 || actual[0].is_complex() ||
        actual[0].sizes() != actual[1].sizes()) {
      return std::nullopt;
    }
    Tensors sums;
    for (const auto& gradients : around_)
      sums.push_back(gradients[0] + gradients[1]);
    const auto all = at::stack(sums), here = actual[0] + actual[1];
    const auto least = std::get<0>(all.min(0));
    const auto wrong =
        (wrong_in({least, std::get<0>(all.max(0))}, here) & here.isfinite()).reshape(-1);
    if (!wrong.any().item<bool>()) return std::nullopt;
    const auto flat = wrong.to(at::kByte).argmax().item<int64_t>();
    const auto& first = given_.names[given_.wanted[0]];
    auto finding = failed(
        where + "the gradients of " + first + " and " + given_.names[given_.wanted[1]] +
            " at element " + index_text(index_of(here, flat)) + " have the sum " +
            element_words(here, flat) + ", but next to this point the sum is " +
            element_words(least, flat),
        "If values are equal, give the whole gradient to one of them, or divide it among them.");
    finding.input = first;
    finding.index = index_of(here, flat);
    return finding;
  }

  const GradientCase& given_;
  const Tensors& at_;
  std::vector<Tensors> around_;
  std::string thrown_;
};

class ValueMaker {
 public:
  explicit ValueMaker(const GradientCase& given) : given_(given), generic_(given.inputs) {
    auto generator = at::detail::createCPUGenerator(3);
    for (const size_t place : given.wanted) {
      const auto input = given.inputs[place].detach();
      const auto options = at::TensorOptions().dtype(input.scalar_type());
      const auto random = at::rand(input.sizes(), generator, options).to(input.device());
      is_positive_.push_back(!input.is_complex() && input.ge(0).all().item<bool>());
      // No two elements are equal, and none has a value that formulas single out.
      generic_[place] = input + (0.01 + 0.1 * random) * (input.abs() + 0.1);
    }
  }

  // One element of each input, each at another place, so that no two of a place are special.
  LookedAt single(double value, size_t only) const {
    LookedAt made{"", generic_};
    const size_t place = given_.wanted[only];
    auto& input = made.inputs[place];
    if (input.numel() == 0 || (is_positive_[only] && value < 0)) return made;
    input = input.detach().clone(at::MemoryFormat::Contiguous);
    const int64_t flat = input.numel() / 2;
    input.view(-1)[flat].fill_(value);
    made.name = "with " + given_.names[place] + index_text(index_of(input, flat)) + " = " +
                element_words(input, flat) + ": ";
    // A step from there goes far beyond what is that small.
    made.has_slopes = value == 0 || std::abs(value) > 1e-100;
    return made;
  }

  // Elements to both sides of a number and of its negative, some near to it. With `only_first` the
  // other inputs are small: what is compared may be a difference.
  LookedAt near(double edge, bool only_first) const {
    LookedAt made{"with elements near " + element_words(at::scalar_tensor(edge, at::kDouble), 0) +
                      (only_first ? " in " + given_.names[given_.wanted[0]] : "") + ": ",
                  generic_};
    auto generator = at::detail::createCPUGenerator(9);
    for (size_t i = 0; i < given_.wanted.size(); ++i) {
      auto& input = made.inputs[given_.wanted[i]];
      if (input.is_complex()) continue;
      if (only_first && i > 0) {
        input = input.detach() * 1e-2;
        continue;
      }
      const auto options = at::TensorOptions().dtype(input.scalar_type());
      const auto draw = [&] { return at::rand(input.sizes(), generator, options).mul(2).sub(1); };
      // From a fifth of the number to a fifty-thousandth, but beyond a step of finite differences.
      const auto distance = draw() * at::pow(10, 2 * draw().sub(1)) * 0.2;
      const double least = 8 * given_.fineness.step;
      const auto apart = distance.sgn() * distance.abs().clamp_min(least);
      const auto side = is_positive_[i] ? at::ones_like(apart) : draw().sgn();
      const auto moved = edge == 0 ? apart : std::abs(edge) * (1 + apart);
      input = (side * moved).to(input.device());
    }
    return made;
  }

  LookedAt scaled(double scale) const {
    LookedAt made{"with inputs about " + element_words(at::scalar_tensor(scale, at::kDouble), 0) +
                      " times as large: ",
                  generic_};
    auto generator = at::detail::createCPUGenerator(5);
    for (size_t i = 0; i < given_.wanted.size(); ++i) {
      auto& input = made.inputs[given_.wanted[i]];
      const auto options = at::TensorOptions().dtype(input.scalar_type());
      const auto sign = at::randn(input.sizes(), generator, options).sgn().to(input.device());
      input = input.detach() * scale;
      if (!is_positive_[i] && !input.is_complex()) input = input * sign;
    }
    return made;
  }

  // Along `dim`, two neighbours are equal, in each second row at another place: equal columns would
  // make a matrix singular.
  LookedAt in_pairs(int64_t dim) const {
    LookedAt made{"", generic_};
    for (const size_t place : given_.wanted) {
      auto& input = made.inputs[place];
      if (dim >= input.dim() || input.size(dim) < 2 || input.numel() == 0) continue;
      const auto moved = input.detach().movedim(dim, -1).clone(at::MemoryFormat::Contiguous);
      const auto rows = moved.view({-1, input.size(dim)});
      for (int64_t row = 0; row < std::min(rows.size(0), int64_t{256}); row += 2) {
        const int64_t column = row / 2 % (rows.size(1) - 1);
        rows[row][column + 1].copy_(rows[row][column]);
      }
      input = moved.movedim(-1, dim).contiguous();
      made.name = "with pairs of equal values along dimension " + std::to_string(dim) + ": ";
    }
    return made;
  }

  LookedAt all_equal(double value) const {
    LookedAt made{"with every element equal to " +
                      element_words(at::scalar_tensor(value, at::kDouble), 0) + ": ",
                  generic_, false};
    for (const size_t place : given_.wanted) {
      made.inputs[place] = at::full_like(generic_[place].detach(), value);
      made.are_single = made.are_single || generic_[place].numel() == 1;
    }
    return made;
  }

  // Two inputs of the same shape with the same values.
  LookedAt same_inputs() const {
    LookedAt made{"", generic_};
    for (size_t i = 1; i < given_.wanted.size(); ++i) {
      const auto& first = generic_[given_.wanted[0]];
      auto& other = made.inputs[given_.wanted[i]];
      if (other.sizes() != first.sizes() || other.scalar_type() != first.scalar_type()) continue;
      other = first.detach().clone();
      made.name = "with the same values in " + given_.names[given_.wanted[0]] + " and " +
                  given_.names[given_.wanted[i]] + ": ";
      return made;
    }
    return made;
  }

 private:
  const GradientCase& given_;
  Tensors generic_;
  std::vector<bool> is_positive_;  // by the places in `wanted`
};

// Whether backward goes through an autograd function in C++. All other nodes are libtorch's own.
bool has_own_backward(const GradientCase& given) {
  const CallWithGraph call(given.function, leaves_of(given.inputs, given.wanted));
  std::vector<torch::autograd::Node*> open;
  for (const auto& output : call.outputs())
    open.push_back(output.grad_fn().get());
  std::unordered_set<torch::autograd::Node*> seen(open.begin(), open.end());
  while (!open.empty()) {
    auto* node = open.back();
    open.pop_back();
    if (node->name().find("CppNode") != std::string::npos) return true;
    for (const auto& edge : node->next_edges()) {
      if (edge.function && seen.insert(edge.function.get()).second)
        open.push_back(edge.function.get());
    }
  }
  return false;
}

// What fails most often comes first.
// `overflows`: values too whose exp() overflows. Derivatives of libtorch's operators give NaN there
// for right formulas, as 1 / (1 + exp(-x)) at -800.
// `edges`: numbers that the sources compare with.
std::vector<LookedAt> values_to_look_at(const GradientCase& given, bool overflows,
                                        const std::vector<double>& edges) {
  const ValueMaker maker(given);
  std::vector<LookedAt> all;
  std::vector<double> scales = {1, 8, 60}, singles = {0, 1, -1, 1e-310};
  if (overflows) {
    scales.push_back(800);
    singles.insert(singles.end(), {800, -800});
  }
  scales.push_back(1e-3);
  for (const double scale : scales)
    all.push_back(maker.scaled(scale));
  for (const double value : singles) {
    for (size_t i = 0; i < given.wanted.size(); ++i)
      all.push_back(maker.single(value, i));
  }
  for (const double edge : edges) {
    all.push_back(maker.near(edge, false));
    if (given.wanted.size() > 1) all.push_back(maker.near(edge, true));
    for (size_t i = 0; i < given.wanted.size(); ++i)
      all.push_back(maker.single(edge, i));
  }
  int64_t dims = 0;
  for (const size_t place : given.wanted)
    dims = std::max(dims, given.inputs[place].dim());
  for (int64_t dim = 0; dim < dims; ++dim)
    all.push_back(maker.in_pairs(dim));
  all.push_back(maker.same_inputs());
  for (const double value : {0.0, 1.0, 0.3})
    all.push_back(maker.all_equal(value));
  return all;
}

OperatorCheckFinding check_gradient_values(const OperatorCall& call) {
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  if (!given.fault.empty()) return skipped("backward throws: " + given.fault);
  const at::AutoGradMode recording(true);
  const auto& edges = call.callable().edges;
  std::string thrown;
  for (const auto& values : values_to_look_at(given, has_own_backward(given), edges)) {
    if (values.name.empty()) continue;
    if (values.are_single && values.has_slopes) {
      if (const auto mismatch = gradient_mismatch(given, values.inputs))
        return mismatch_finding(given, *mismatch, values.name);
    }
    Around around(given, values.inputs);
    if (auto fault = around.fault(values.name, values.are_single)) return *fault;
    if (thrown.empty() && !around.thrown().empty())
      thrown = "; not compared " + values.name + "backward throws: " + around.thrown();
  }
  std::string near;
  for (const double edge : edges)
    near += (near.empty() ? ", and near " : " and ") +
            element_words(at::scalar_tensor(edge, at::kDouble), 0);
  return passed("the gradients are right at 0, 1, -1, small, large and equal values" + near +
                thrown);
}

const RegisteredCheck gradient_values_check({
    .name = "gradient_values",
    .title = "gradient values",
    .meaning = "Gradients are right at special input values: 0, 1, -1, very small, very large and "
               "equal values, and values near a constant that the sources compare with",
    .order = 53,
    .run = check_gradient_values,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
