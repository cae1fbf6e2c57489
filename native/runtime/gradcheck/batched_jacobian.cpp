#include "runtime/gradcheck/batched_jacobian.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <sys/mman.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>

#include "runtime/gradcheck/batched_call.h"
#include "runtime/gradcheck/each_batch.h"

namespace opsmith {
namespace {

namespace autograd = torch::autograd;

// A batch of the largest tensor should stay in the processor's cache, but be worth its calls.
constexpr int64_t batch_elements = int64_t{1} << 15;
constexpr int64_t batch_rows = 32;
constexpr int64_t most_elements = int64_t{1} << 20;
// Below this many rows there is nothing to gain.
constexpr int64_t least_rows = 16;

bool is_plain(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.is_contiguous() && !tensor.is_complex() &&
         !tensor.is_conj() && !tensor.is_neg();
}

bool can_be_batched(const Tensors& inputs, const Tensors& outputs) {
  return std::all_of(inputs.begin(), inputs.end(), is_plain) &&
         std::all_of(outputs.begin(), outputs.end(), [](const at::Tensor& output) {
           return output.layout() == at::kStrided && output.is_floating_point();
         });
}

int64_t rows_at_once(const Tensors& inputs, const Tensors& outputs) {
  int64_t largest = 1;
  for (const auto& tensors : {inputs, outputs}) {
    for (const auto& tensor : tensors)
      largest = std::max(largest, tensor.numel());
  }
  const int64_t rows = std::max(batch_elements / largest, batch_rows);
  return std::max<int64_t>(1, std::min(rows, most_elements / largest));
}

// Whether all elements are equal, NaNs to each other, too; in float64 up to `tolerance` of the
// largest. A loop of our own: at::allclose makes ten passes over memory, which took an eighth of a
// whole gradcheck.
template <typename T>
bool same_elements(const T* left, const T* right, int64_t count, double tolerance) {
  double most = 0, largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(left[i])));
    if (left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]))) continue;
    const double difference = std::abs(static_cast<double>(left[i]) - right[i]);
    if (!(tolerance > 0) || !std::isfinite(difference)) return false;
    most = std::max(most, difference);
  }
  return most == 0 || (std::isfinite(largest) && most <= tolerance * largest);
}

// Whether a row of a batch is what a single call gave.
bool same(BatchWay way, const at::Tensor& single, const at::Tensor& row) {
  if (single.sizes() != row.sizes() || single.scalar_type() != row.scalar_type()) return false;
  const auto left = single.contiguous(), right = row.contiguous();
  if (left.is_cpu() && right.is_cpu() && left.scalar_type() == at::kDouble) {
    // Far below what perturbing one element by eps changes.
    const double tolerance =
        way == BatchWay::vmap ? 32 * std::numeric_limits<double>::epsilon() : 0;
    return same_elements(left.const_data_ptr<double>(), right.const_data_ptr<double>(),
                         left.numel(), tolerance);
  }
  if (left.is_cpu() && right.is_cpu() && left.scalar_type() == at::kFloat) {
    return same_elements(left.const_data_ptr<float>(), right.const_data_ptr<float>(), left.numel(),
                         0);
  }
  return at::allclose(left, right, 0, 0, /*equal_nan=*/true);
}

at::Tensor random_direction(const at::Tensor& like) {
  auto generator = at::detail::createCPUGenerator(0);
  const auto options = at::TensorOptions().dtype(like.scalar_type());
  return at::rand({like.numel()}, generator, options).to(like.device());
}

// Whether a Jacobian's projection is what one pass along that direction gave.
bool same_projection(const at::Tensor& expected, const at::Tensor& projected) {
  const double tolerance = projected.scalar_type() == at::kDouble ? 1e-9 : 1e-4;
  const double scale =
      std::max(1.0, projected.numel() == 0 ? 0 : projected.abs().max().item<double>());
  return at::allclose(expected, projected, tolerance, tolerance * scale, /*equal_nan=*/true);
}

// What a thread needs to call the function beside others: inputs, and a graph, of its own.
struct OwnCall {
  OwnCall(const TensorFunction& function, const Tensors& shared, bool with_graph) {
    for (const auto& input : shared)
      inputs.push_back(input.detach().clone().requires_grad_(input.requires_grad()));
    if (with_graph) outputs = function(inputs);
  }
  Tensors inputs, outputs;
};

// [rows, elements of `like`]. A large one asks for huge pages: entering millions of elements for
// the first time costs a sixth of a whole gradcheck in page faults else.
at::Tensor empty_jacobian(int64_t rows, const at::Tensor& like) {
  auto jacobian = at::empty({rows, like.numel()}, like.options().requires_grad(false));
  constexpr uintptr_t huge_page = uintptr_t{1} << 21;
  if (jacobian.is_cpu() && jacobian.nbytes() >= 2 * huge_page) {
    const auto data = reinterpret_cast<uintptr_t>(jacobian.data_ptr());
    const uintptr_t begin = (data + huge_page - 1) / huge_page * huge_page;
    const uintptr_t end = (data + jacobian.nbytes()) / huge_page * huge_page;
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a hint: may fail
  }
  return jacobian;
}

// [count, elements]: row i is one at element `first` + i.
at::Tensor unit_rows(const at::Tensor& like, int64_t first, int64_t count) {
  auto rows = at::zeros({count, like.numel()}, like.options().requires_grad(false));
  rows.narrow(1, first, count).diagonal().fill_(1);
  return rows;
}

at::Tensor shaped(const at::Tensor& rows, const at::Tensor& like) {
  auto sizes = like.sizes().vec();
  sizes.insert(sizes.begin(), rows.size(0));
  return rows.view(sizes);
}

bool any_alias(const Tensors& outputs, const at::Tensor& values) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const at::Tensor& output) { return output.is_alias_of(values); });
}

// Computes the rows [first, first + count) of one input's Jacobians.
class NumericalBatch {
 public:
  NumericalBatch(BatchWay way, const TensorFunction& function, const Tensors& inputs,
                 const Tensors& outputs, size_t input, double eps)
      : way_(way),
        call_(way, function, inputs, outputs),
        function_(function),
        inputs_(inputs),
        input_(input),
        eps_(eps) {}

  bool compute(int64_t first, int64_t count, Tensors& jacobians) {
    const auto below = outputs_at(-eps_, first, count);
    if (!below || !as_single(first, -eps_, *below, 0)) return false;
    const auto above = outputs_at(eps_, first, count);
    if (!above || !as_single(first + count - 1, eps_, *above, count - 1)) return false;
    for (size_t o = 0; o < jacobians.size(); ++o) {
      auto rows = jacobians[o].narrow(0, first, count);
      at::sub_out(rows, (*above)[o].detach().reshape({count, -1}),
                  (*below)[o].detach().reshape({count, -1}));
      rows.div_(2 * eps_);
    }
    return true;
  }

 private:
  std::optional<Tensors> outputs_at(double step, int64_t first, int64_t count) {
    const auto input = inputs_[input_].detach();
    const auto flat = input.reshape({1, -1});
    if (!values_.defined() || values_.size(0) != count)
      values_ = flat.expand({count, -1}).clone(at::MemoryFormat::Contiguous);
    const auto elements = flat[0].narrow(0, first, count);
    const auto perturbed = values_.narrow(1, first, count).diagonal();
    perturbed.copy_(elements).add_(step);
    const auto version = values_._version();
    auto outputs = call_.call(input_, shaped(values_, input));
    // An operator may write to its input, or give a view of it.
    if (outputs && values_._version() == version && !any_alias(*outputs, values_)) {
      perturbed.copy_(elements);
    } else {
      values_.reset();
    }
    return outputs;
  }

  bool as_single(int64_t element, double step, const Tensors& batch, int64_t row) const {
    const auto data = inputs_[input_].variable_data().view(-1).select(0, element);
    const auto original = data.clone();
    data.add_(step);
    const auto results = function_(inputs_);
    data.copy_(original);
    if (results.size() != batch.size()) return false;
    for (size_t o = 0; o < results.size(); ++o) {
      if (!same(way_, results[o].detach(), batch[o].detach().select(0, row))) return false;
    }
    return true;
  }

  BatchWay way_;
  BatchedCall call_;
  const TensorFunction& function_;
  const Tensors& inputs_;
  size_t input_;
  double eps_;
  at::Tensor values_;  // the input, once for each row of a batch
};

// Computes columns of one output's Jacobians, as rows of their transposes.
class BackwardBatches {
 public:
  // `transposed` by input, one row for each element of the output; none when they are not kept.
  BackwardBatches(BatchWay way, const TensorFunction& function, const Tensors& inputs,
                  const Tensors& outputs, size_t output, Tensors transposed, ColumnsVisitor visit)
      : way_(way),
        call_(way, function, inputs, outputs),
        output_(outputs[output]),
        index_(output),
        transposed_(std::move(transposed)),
        visit_(std::move(visit)),
        direction_(random_direction(output_)) {
    for (const size_t index : differentiable_inputs(inputs)) {
      wanted_.push_back(inputs[index]);
      projected_.push_back(
          at::zeros({inputs[index].numel()}, inputs[index].options().requires_grad(false)));
    }
  }

  bool compute(int64_t first, int64_t count) {
    const auto found = call_.backward(index_, shaped(unit_rows(output_, first, count), output_));
    if (!found) return false;
    Tensors all_rows;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      const auto& once = found->once[i];
      const auto& again = found->again[i];
      const auto rows = once.defined()
                            ? once.reshape({count, -1})
                            : at::zeros({count, wanted_[i].numel()}, projected_[i].options());
      if (once.defined() && again.defined()) {
        note_difference(once, again, i, first, differences_);
      } else if (again.defined()) {
        note_difference(rows, again.reshape({count, -1}), i, first, differences_);
      } else if (once.defined()) {
        note_difference(rows, at::zeros_like(rows), i, first, differences_);
      }
      if (!transposed_.empty()) transposed_[i].narrow(0, first, count).copy_(rows);
      visit_(i, first, rows);
      projected_[i].addmv_(rows.t(), direction_.narrow(0, first, count).to(rows.scalar_type()));
      all_rows.push_back(rows);
    }
    for (const int64_t row : {int64_t{0}, count / 2, count - 1}) {
      const auto gradients = single(unit_rows(output_, first + row, 1));
      for (size_t i = 0; i < gradients.size(); ++i) {
        if (!same(way_, dense(gradients[i], wanted_[i]), all_rows[i].select(0, row))) return false;
      }
    }
    return true;
  }

  // Takes over what `other` has found.
  void add(const BackwardBatches& other) {
    for (size_t i = 0; i < projected_.size(); ++i)
      projected_[i].add_(other.projected_[i]);
    if (other.differences_.largest_difference > differences_.largest_difference)
      differences_ = other.differences_;
  }

  std::optional<BackwardJacobian> finished() {
    const auto gradients = single(direction_);
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined() && gradients[i].scalar_type() != wanted_[i].scalar_type())
        return std::nullopt;
      if (!same_projection(dense(gradients[i], wanted_[i]), projected_[i])) return std::nullopt;
      if (!transposed_.empty()) differences_.jacobians.push_back(transposed_[i].t());
    }
    return std::move(differences_);
  }

 private:
  static at::Tensor dense(const at::Tensor& gradient, const at::Tensor& input) {
    return gradient.defined() ? gradient.detach().reshape(-1)
                              : at::zeros({input.numel()}, input.options().requires_grad(false));
  }

  Tensors single(const at::Tensor& gradient) const {
    return autograd::grad({output_}, wanted_, {gradient.view(output_.sizes())},
                          /*retain_graph=*/true, /*create_graph=*/false, /*allow_unused=*/true);
  }

  BatchWay way_;
  BatchedCall call_;
  const at::Tensor& output_;
  size_t index_;
  Tensors transposed_;
  ColumnsVisitor visit_;
  at::Tensor direction_;
  Tensors wanted_, projected_;
  BackwardJacobian differences_;
};

// The same beside other threads.
struct OwnBackward {
  OwnBackward(BatchWay way, const TensorFunction& function, const Tensors& shared, size_t output,
              Tensors transposed, ColumnsVisitor visit)
      : call(function, shared, /*with_graph=*/true),
        batches(way, function, call.inputs, call.outputs, output, std::move(transposed),
                std::move(visit)) {}
  OwnCall call;
  BackwardBatches batches;
};

std::optional<Jacobians> numerical_jacobians_by(BatchWay way, const TensorFunction& function,
                                                const Tensors& inputs, const Tensors& outputs,
                                                double eps) {
  const int64_t limit = rows_at_once(inputs, outputs);
  Jacobians jacobians;
  for (const size_t index : differentiable_inputs(inputs)) {
    const int64_t rows = inputs[index].numel();
    auto& by_output = jacobians.emplace_back();
    for (const auto& output : outputs)
      by_output.push_back(empty_jacobian(rows, output));
    const auto batch_of = [&](const Tensors& own) -> Batch {
      return [&, batch = NumericalBatch(way, function, own, outputs, index, eps)](
                 int64_t first, int64_t count) mutable {
        return batch.compute(first, count, by_output);
      };
    };
    const auto make = [&]() -> Batch {
      auto own = std::make_shared<OwnCall>(function, inputs, /*with_graph=*/false);
      return [own, batch = batch_of(own->inputs)](int64_t first, int64_t count) {
        return batch(first, count);
      };
    };
    if (!for_each_batch(rows, limit, batch_of(inputs), make)) return std::nullopt;
  }
  return jacobians;
}

std::optional<BackwardJacobian> backward_jacobian_by(
    BatchWay way, const TensorFunction& function, const Tensors& inputs, const Tensors& outputs,
    size_t output, bool keep, const std::function<ColumnsVisitor(bool begins)>& visitor) {
  const int64_t columns = outputs[output].numel(), limit = rows_at_once(inputs, outputs);
  Tensors transposed;
  for (const size_t index : differentiable_inputs(inputs)) {
    if (!keep) break;
    transposed.push_back(empty_jacobian(columns, inputs[index]));
  }
  BackwardBatches batches(way, function, inputs, outputs, output, transposed, visitor(true));
  std::mutex mutex;
  std::vector<std::unique_ptr<OwnBackward>> others;
  const auto make = [&]() -> Batch {
    const std::lock_guard<std::mutex> lock(mutex);
    auto other =
        std::make_unique<OwnBackward>(way, function, inputs, output, transposed, visitor(false));
    others.push_back(std::move(other));
    return [own = others.back().get()](int64_t first, int64_t count) {
      return own->batches.compute(first, count);
    };
  };
  const Batch here = [&](int64_t first, int64_t count) { return batches.compute(first, count); };
  if (!for_each_batch(columns, limit, here, make)) return std::nullopt;
  for (const auto& other : others)
    batches.add(other->batches);
  return batches.finished();
}

}  // namespace

std::optional<Jacobians> batched_numerical_jacobians(const TensorFunction& function,
                                                     const Tensors& inputs, const Tensors& outputs,
                                                     double eps) {
  if (!can_be_batched(inputs, outputs)) return std::nullopt;
  for (const size_t index : differentiable_inputs(inputs)) {
    if (std::min(inputs[index].numel(), rows_at_once(inputs, outputs)) < least_rows)
      return std::nullopt;
  }
  auto found = numerical_jacobians_by(BatchWay::vmap, function, inputs, outputs, eps);
  if (found) return found;
  return numerical_jacobians_by(BatchWay::stacked, function, inputs, outputs, eps);
}

std::optional<BackwardJacobian> batched_backward_jacobian(
    const TensorFunction& function, const Tensors& inputs, const Tensors& outputs, size_t output,
    bool keep, const std::function<ColumnsVisitor(bool begins)>& visitor) {
  if (!can_be_batched(inputs, outputs) ||
      std::min(outputs[output].numel(), rows_at_once(inputs, outputs)) < least_rows) {
    return std::nullopt;
  }
  for (const auto way : {BatchWay::vmap, BatchWay::stacked}) {
    auto found = backward_jacobian_by(way, function, inputs, outputs, output, keep, visitor);
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<ForwardJacobians> batched_forward_jacobians(const TensorFunction& function,
                                                          const Tensors& inputs,
                                                          const Tensors& outputs) {
  if (!can_be_batched(inputs, outputs)) return std::nullopt;
  const int64_t limit = rows_at_once(inputs, outputs);
  const auto differentiable = differentiable_inputs(inputs);
  const BatchedCall call(BatchWay::stacked, function, inputs, outputs);
  ForwardJacobians result;
  std::vector<Direction> directions;
  for (const size_t index : differentiable) {
    const int64_t rows = inputs[index].numel();
    if (std::min(rows, limit) < least_rows) return std::nullopt;
    directions.push_back({random_direction(inputs[index]), {}});
    auto& by_output = result.jacobians.emplace_back();
    for (const auto& output : outputs)
      by_output.push_back(empty_jacobian(rows, output));
    for (int64_t first = 0; first < rows; first += limit) {
      const int64_t count = std::min(limit, rows - first);
      const auto tangents = call.forward(index, unit_rows(inputs[index], first, count));
      if (!tangents) return std::nullopt;
      for (size_t o = 0; o < outputs.size(); ++o) {
        const auto into = by_output[o].narrow(0, first, count);
        if ((*tangents)[o].defined()) {
          into.copy_((*tangents)[o].detach().reshape({count, -1}));
        } else {
          into.zero_();
        }
      }
    }
  }
  const auto single = forward_jacobians(function, inputs, outputs, &directions);
  if (!single.dtypes_match) return std::nullopt;
  for (size_t i = 0; i < directions.size(); ++i) {
    for (size_t o = 0; o < outputs.size(); ++o) {
      const auto& jacobian = result.jacobians[i][o];
      const auto projected = at::mv(jacobian.t(), directions[i].real.to(jacobian.scalar_type()));
      if (!same_projection(single.jacobians[i][o].reshape(-1), projected)) return std::nullopt;
    }
  }
  return result;
}

}  // namespace opsmith
