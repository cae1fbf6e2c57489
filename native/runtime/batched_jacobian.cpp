#include "runtime/batched_jacobian.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "runtime/failure.h"

namespace opsmith {
namespace {

namespace autograd = torch::autograd;

// Elements of the largest tensor of a batch.
constexpr int64_t batch_elements = int64_t{1} << 20;
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

bool same_bits(const at::Tensor& left, const at::Tensor& right) {
  return left.sizes() == right.sizes() && left.scalar_type() == right.scalar_type() &&
         at::allclose(left, right, 0, 0, /*equal_nan=*/true);
}

int64_t rows_at_once(const Tensors& inputs, const Tensors& outputs) {
  int64_t largest = 1;
  for (const auto& tensors : {inputs, outputs}) {
    for (const auto& tensor : tensors)
      largest = std::max(largest, tensor.numel());
  }
  return std::max<int64_t>(1, batch_elements / largest);
}

// Each tensor `count` times, with a first dimension for the batch, and as many others as the input
// that has most: broadcasting counts them from the last.
Tensors stacked(const Tensors& inputs, int64_t count) {
  int64_t rank = 0;
  for (const auto& input : inputs)
    rank = std::max(rank, input.dim());
  Tensors batch;
  for (const auto& input : inputs) {
    std::vector<int64_t> sizes{count};
    sizes.insert(sizes.end(), static_cast<size_t>(rank - input.dim()), 1);
    sizes.insert(sizes.end(), input.sizes().begin(), input.sizes().end());
    batch.push_back(input.detach()
                        .reshape(at::IntArrayRef(sizes).slice(1))
                        .expand(sizes)
                        .clone(at::MemoryFormat::Contiguous));
    if (input.requires_grad()) batch.back().requires_grad_();
  }
  return batch;
}

// The function on a batch: nullopt where it throws or where its outputs have no batch dimension.
std::optional<Tensors> call_batch(const TensorFunction& function, const Tensors& batch,
                                  const Tensors& outputs, int64_t count) {
  Tensors results;
  // That a function takes no batch is an answer here.
  try {
    results = function(batch);
  } catch (...) {
    describe_current_exception();
    return std::nullopt;
  }
  if (results.size() != outputs.size()) return std::nullopt;
  for (size_t o = 0; o < results.size(); ++o) {
    auto sizes = outputs[o].sizes().vec();
    sizes.insert(sizes.begin(), count);
    if (results[o].sizes() != at::IntArrayRef(sizes) ||
        results[o].scalar_type() != outputs[o].scalar_type()) {
      return std::nullopt;
    }
  }
  return results;
}

// The rows [first, first + count) of one input's Jacobians.
class NumericalBatch {
 public:
  NumericalBatch(const TensorFunction& function, const Tensors& inputs, const Tensors& outputs,
                 size_t input, double eps)
      : function_(function), inputs_(inputs), outputs_(outputs), input_(input), eps_(eps) {}

  bool compute(int64_t first, int64_t count, Tensors& jacobians) const {
    const auto batch = stacked(inputs_, count);
    const auto perturbed =
        batch[input_].variable_data().view({count, -1}).narrow(1, first, count).diagonal();
    const auto original = perturbed.clone();
    perturbed.copy_(at::sub(original, eps_));
    const auto below = call_batch(function_, batch, outputs_, count);
    if (!below || !as_single(first, -eps_, *below, 0) ||
        !as_single(first + count - 1, -eps_, *below, count - 1)) {
      return false;
    }
    perturbed.copy_(at::add(original, eps_));
    const auto above = call_batch(function_, batch, outputs_, count);
    if (!above || !as_single(first + count - 1, eps_, *above, count - 1)) return false;
    for (size_t o = 0; o < outputs_.size(); ++o) {
      auto rows = jacobians[o].narrow(0, first, count);
      at::sub_out(rows, (*above)[o].detach().reshape({count, -1}),
                  (*below)[o].detach().reshape({count, -1}));
      rows.div_(2 * eps_);
    }
    return true;
  }

 private:
  // Whether a single call with one element perturbed gives what that row of the batch gave.
  bool as_single(int64_t element, double step, const Tensors& batch, int64_t row) const {
    const auto data = inputs_[input_].variable_data().view(-1).select(0, element);
    const auto original = data.clone();
    data.copy_(at::add(original, step));
    const auto results = function_(inputs_);
    data.copy_(original);
    for (size_t o = 0; o < results.size(); ++o) {
      if (!same_bits(results[o].detach(), batch[o].detach().select(0, row))) return false;
    }
    return true;
  }

  const TensorFunction& function_;
  const Tensors& inputs_;
  const Tensors& outputs_;
  size_t input_;
  double eps_;
};

}  // namespace

std::optional<Jacobians> batched_numerical_jacobians(const TensorFunction& function,
                                                     const Tensors& inputs, const Tensors& outputs,
                                                     double eps) {
  if (!can_be_batched(inputs, outputs)) return std::nullopt;
  const int64_t limit = rows_at_once(inputs, outputs);
  Jacobians jacobians;
  for (const size_t index : differentiable_inputs(inputs)) {
    const int64_t rows = inputs[index].numel();
    if (std::min(rows, limit) < least_rows) return std::nullopt;
    auto& by_output = jacobians.emplace_back();
    for (const auto& output : outputs)
      by_output.push_back(at::empty({rows, output.numel()}, output.options()));
    const NumericalBatch batch(function, inputs, outputs, index, eps);
    for (int64_t first = 0; first < rows; first += limit) {
      if (!batch.compute(first, std::min(limit, rows - first), by_output)) return std::nullopt;
    }
  }
  return jacobians;
}

std::optional<BackwardJacobian> batched_backward_jacobian(const TensorFunction& function,
                                                          const Tensors& inputs,
                                                          const Tensors& outputs, size_t output) {
  if (!can_be_batched(inputs, outputs)) return std::nullopt;
  const int64_t columns = outputs[output].numel();
  const int64_t limit = rows_at_once(inputs, outputs);
  if (std::min(columns, limit) < least_rows) return std::nullopt;
  const auto differentiable = differentiable_inputs(inputs);
  Tensors wanted, transposed, again;
  for (const size_t index : differentiable) {
    wanted.push_back(inputs[index]);
    for (auto* into : {&transposed, &again})
      into->push_back(at::zeros({columns, inputs[index].numel()},
                                inputs[index].options().requires_grad(false)));
  }
  const auto single = [&](const at::Tensor& gradient) {
    return autograd::grad({outputs[output]}, wanted, {gradient.view(outputs[output].sizes())},
                          /*retain_graph=*/true, /*create_graph=*/false, /*allow_unused=*/true);
  };
  const auto unit = [&](int64_t column) {
    auto gradient = at::zeros({columns}, outputs[output].options().requires_grad(false));
    gradient.select(0, column).fill_(1);
    return gradient;
  };
  for (int64_t first = 0; first < columns; first += limit) {
    const int64_t count = std::min(limit, columns - first);
    const auto batch = stacked(inputs, count);
    const auto results = call_batch(function, batch, outputs, count);
    if (!results || !(*results)[output].requires_grad()) return std::nullopt;
    Tensors leaves;
    for (const size_t index : differentiable)
      leaves.push_back(batch[index]);
    auto gradient = at::zeros({count, columns}, outputs[output].options().requires_grad(false));
    gradient.narrow(1, first, count).diagonal().fill_(1);
    gradient = gradient.view((*results)[output].sizes());
    for (auto* into : {&transposed, &again}) {
      const auto gradients = autograd::grad({(*results)[output]}, leaves, {gradient},
                                            /*retain_graph=*/into == &transposed, false, true);
      for (size_t i = 0; i < gradients.size(); ++i) {
        if (!gradients[i].defined()) continue;
        if (gradients[i].sizes() != leaves[i].sizes()) return std::nullopt;
        (*into)[i].narrow(0, first, count).copy_(gradients[i].detach().reshape({count, -1}));
      }
    }
    for (const int64_t column : {first, first + count / 2, first + count - 1}) {
      const auto gradients = single(unit(column));
      for (size_t i = 0; i < gradients.size(); ++i) {
        const auto row = transposed[i].select(0, column);
        const auto expected =
            gradients[i].defined() ? gradients[i].detach().reshape(-1) : at::zeros_like(row);
        if (!same_bits(expected, row)) return std::nullopt;
      }
    }
  }
  // A random direction sees every element: what a kernel does to one place only, a batch hides.
  auto generator = at::detail::createCPUGenerator(0);
  const auto direction = at::rand({columns}, generator,
                                  outputs[output].options().requires_grad(false).device(at::kCPU))
                             .to(outputs[output].device());
  const auto gradients = single(direction);
  const double tolerance = outputs[output].scalar_type() == at::kDouble ? 1e-9 : 1e-4;
  BackwardJacobian result;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const auto projected = at::mv(transposed[i].t(), direction.to(transposed[i].scalar_type()));
    const auto expected =
        gradients[i].defined() ? gradients[i].detach().reshape(-1) : at::zeros_like(projected);
    if (gradients[i].defined() && gradients[i].scalar_type() != wanted[i].scalar_type()) {
      return std::nullopt;
    }
    const double scale =
        std::max(1.0, projected.numel() == 0 ? 0 : projected.abs().max().item<double>());
    if (!at::allclose(expected, projected, tolerance, tolerance * scale, /*equal_nan=*/true)) {
      return std::nullopt;
    }
    note_difference(transposed[i], again[i], i, result);
    result.jacobians.push_back(transposed[i].t());
  }
  return result;
}

}  // namespace opsmith
