#include "runtime/gradcheck/jacobian.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <sstream>

#include "runtime/failure.h"
#include "runtime/gradcheck/forward_level.h"
#include "runtime/json_text.h"
#include "runtime/sparse_tensors.h"

namespace opsmith {

namespace autograd = torch::autograd;

bool is_differentiable_type(const at::Tensor& tensor) {
  return tensor.is_floating_point() || tensor.is_complex();
}

namespace {

Tensors differentiable_types(const Tensors& outputs) {
  Tensors found;
  for (const auto& output : outputs) {
    if (is_differentiable_type(output)) found.push_back(output);
  }
  return found;
}

void require_same(const at::Tensor& before, const at::Tensor& after, double eps) {
  std::ostringstream what;
  if (before.sizes() != after.sizes()) {
    what << "shapes " << before.sizes() << " and " << after.sizes();
  } else if (before.scalar_type() != after.scalar_type()) {
    what << "dtypes " << before.scalar_type() << " and " << after.scalar_type();
  } else {
    return;
  }
  throw Failure(ErrorCode::operator_check,
                "An output changes its shape or dtype when an input is perturbed by " +
                    shortest_text(eps) + ": " + what.str() + ".");
}

// A view into an input, and how far it is stepped to either side.
struct Step {
  at::Tensor entry;
  at::Tensor along;  // of the shape of `entry`; undefined where `number` counts
  at::Scalar number = 0;
};

// (f(x + step) - f(x - step)) / (2 eps), flat, for each differentiable output. All steps are made
// at once; the inputs are as they were afterwards.
Tensors central_difference(const std::function<Tensors()>& call, const std::vector<Step>& steps,
                           double eps) {
  Tensors originals;
  for (const auto& step : steps)
    originals.push_back(step.entry.clone());
  const auto evaluate = [&](bool plus) {
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto& original = originals[i];
      // Written at once: `entry` has the dtype of the sum.
      auto moved = steps[i].entry;
      if (steps[i].along.defined()) {
        plus ? at::add_out(moved, original, steps[i].along)
             : at::sub_out(moved, original, steps[i].along);
      } else {
        moved.copy_(plus ? original + steps[i].number : original - steps[i].number);
      }
    }
    Tensors results;
    for (const auto& output : differentiable_types(call()))
      results.push_back(output.detach().clone());
    return results;
  };
  const auto below = evaluate(false);
  auto above = evaluate(true);
  for (size_t i = 0; i < steps.size(); ++i)
    steps[i].entry.copy_(originals[i]);
  Tensors derivatives;
  for (size_t i = 0; i < below.size() && i < above.size(); ++i) {
    require_same(below[i], above[i], eps);
    derivatives.push_back(above[i].sub_(below[i]).div_(2 * eps).reshape(-1));
  }
  return derivatives;
}

// An element of a tensor, as a view of it without dimensions.
at::Tensor element_of(const at::Tensor& tensor, int64_t flat) {
  int64_t offset = tensor.storage_offset();
  for (int64_t dim = tensor.dim() - 1; dim >= 0; --dim) {
    offset += flat % tensor.size(dim) * tensor.stride(dim);
    flat /= tensor.size(dim);
  }
  return tensor.as_strided({}, {}, offset);
}

// What of an input can be perturbed: all of it, or the elements that a sparse one specifies.
struct Perturbable {
  explicit Perturbable(const at::Tensor& input)
      // Shares the memory of the input but not its version, which a saved tensor would notice.
      : data(is_sparse(input) ? specified_values(input) : input.variable_data()) {
    if (is_sparse(input)) places = specified_places(input);
  }

  // The Jacobian's row of element `flat` of `data`.
  int64_t row_of(int64_t flat) const {
    return places.defined() ? places[flat].item<int64_t>() : flat;
  }

  // A vector over all elements of the input, over those of `data`, shared out among elements that
  // are the same one.
  at::Tensor restricted(const at::Tensor& vector) const {
    if (!places.defined()) return vector.reshape(data.sizes());
    const auto on = places.to(vector.device());
    return (vector / on.bincount({}, vector.numel()).clamp_min(1))
        .index_select(0, on)
        .reshape(data.sizes());
  }

  at::Tensor data, places;
};

}  // namespace

Jacobians numerical_jacobians(const TensorFunction& function, const Tensors& inputs,
                              const Tensors& outputs, double eps) {
  const auto expected = differentiable_types(outputs);
  const auto call = [&] { return function(inputs); };
  Jacobians jacobians;
  for (const size_t index : differentiable_inputs(inputs)) {
    const Perturbable input(inputs[index]);
    const auto& data = input.data;
    auto& by_output = jacobians.emplace_back();
    for (const auto& output : expected) {
      const auto dtype = data.is_complex() ? data.scalar_type() : output.scalar_type();
      by_output.push_back(
          at::zeros({inputs[index].numel(), output.numel()}, output.options().dtype(dtype)));
    }
    for (int64_t element = 0; element < data.numel(); ++element) {
      const int64_t row = input.row_of(element);
      const auto entry = element_of(data, element);
      auto derivatives = central_difference(call, {{entry, {}, eps}}, eps);
      if (data.is_complex()) {
        const auto imaginary =
            central_difference(call, {{entry, {}, c10::complex<double>(0, eps)}}, eps);
        for (size_t i = 0; i < derivatives.size(); ++i)
          derivatives[i] = at::complex(derivatives[i], imaginary[i]);
      }
      for (size_t i = 0; i < by_output.size() && i < derivatives.size(); ++i) {
        require_same(by_output[i].select(0, row), derivatives[i].to(by_output[i].dtype()), eps);
        by_output[i].select(0, row).copy_(derivatives[i]);
      }
    }
  }
  return jacobians;
}

Jacobians directional_derivatives(const TensorFunction& function, const Tensors& inputs,
                                  const std::vector<Direction>& directions, double eps) {
  const auto call = [&] { return function(inputs); };
  const auto differentiable = differentiable_inputs(inputs);
  Jacobians all;
  for (size_t i = 0; i < differentiable.size(); ++i) {
    const Perturbable input(inputs[differentiable[i]]);
    const auto& data = input.data;
    const auto along = [&](const at::Tensor& direction, bool imaginary) {
      auto step = input.restricted(direction) * eps;
      if (imaginary) step = step * at::Scalar(c10::complex<double>(0, 1));
      return central_difference(call, {{data, step}}, eps);
    };
    auto derivatives = along(directions[i].real, false);
    if (data.is_complex()) {
      const auto imaginary = along(directions[i].imaginary, true);
      for (size_t o = 0; o < derivatives.size(); ++o)
        derivatives[o] = at::complex(derivatives[o], imaginary[o]);
    }
    all.push_back(std::move(derivatives));
  }
  return all;
}

std::optional<Tensors> joint_derivatives(const TensorFunction& function, const Tensors& inputs,
                                         const std::vector<Direction>& directions, double eps) {
  const auto differentiable = differentiable_inputs(inputs);
  if (differentiable.size() < 2) return std::nullopt;
  std::vector<Step> steps;
  for (size_t i = 0; i < differentiable.size(); ++i) {
    const auto& input = inputs[differentiable[i]];
    if (input.is_complex() || is_sparse(input)) return std::nullopt;
    for (size_t other = 0; other < inputs.size(); ++other) {
      if (other != differentiable[i] && input.is_alias_of(inputs[other])) return std::nullopt;
    }
    steps.push_back({input.variable_data(), directions[i].real.reshape(input.sizes()) * eps});
  }
  return central_difference([&] { return function(inputs); }, steps, eps);
}

void note_difference(const at::Tensor& once, const at::Tensor& again, size_t input, int64_t first,
                     BackwardJacobian& result) {
  if (once.numel() == 0 || at::equal(once, again)) return;
  const auto difference = at::sub(once, again).abs();
  const double largest = difference.max().item<double>();
  if (!(largest > result.largest_difference)) return;
  result.largest_difference = largest;
  const auto at = difference.argmax().item<int64_t>(), row = once.numel() / once.size(0);
  result.difference_at = {static_cast<int64_t>(input), at % row, first + at / row};
}

BackwardJacobian backward_jacobian(const Tensors& inputs, const at::Tensor& output,
                                   const std::optional<at::Tensor>& projection) {
  Tensors differentiable;
  for (const size_t index : differentiable_inputs(inputs))
    differentiable.push_back(inputs[index]);
  BackwardJacobian result;
  const int64_t columns = projection ? 1 : output.numel();
  const auto gradient = at::zeros_like(output.detach(), at::MemoryFormat::Contiguous);
  const auto flat = gradient.view(-1);

  const auto zeros = [&](size_t i) {
    return at::zeros({columns, differentiable[i].numel()},
                     differentiable[i].options().layout(at::kStrided));
  };
  // transposed: a row for each backward pass, so that each is written in one piece
  const auto compute = [&](bool first) {
    Tensors transposed;
    for (size_t i = 0; i < differentiable.size(); ++i)
      transposed.push_back(projection ? at::Tensor() : zeros(i));
    for (int64_t column = 0; column < columns; ++column) {
      if (!projection) {
        flat.zero_();
        flat.select(0, column).fill_(1);
      }
      const auto gradients = autograd::grad(
          {output}, differentiable, {projection ? projection->reshape(output.sizes()) : gradient},
          /*retain_graph=*/true, /*create_graph=*/false, /*allow_unused=*/true);
      for (size_t i = 0; i < gradients.size(); ++i) {
        if (!gradients[i].defined()) continue;
        if (first && gradients[i].sizes() != differentiable[i].sizes()) {
          result.sizes_match = false;
        } else if (first && gradients[i].scalar_type() != differentiable[i].scalar_type()) {
          result.dtypes_match = false;
        }
        const auto dense =
            gradients[i].layout() == at::kStrided ? gradients[i] : gradients[i].to_dense();
        if (dense.numel() != differentiable[i].numel()) {
          std::ostringstream message;
          message << "The gradient has shape " << dense.sizes() << ", but its input has shape "
                  << differentiable[i].sizes() << ".";
          throw Failure(ErrorCode::operator_check, message.str());
        }
        const auto row = dense.detach().reshape({1, -1});
        if (!projection) {
          transposed[i].select(0, column).copy_(row[0]);
        } else {
          // The first is copied: backward may return the same memory the next time.
          transposed[i] =
              row.to(differentiable[i].scalar_type(), /*non_blocking=*/false, /*copy=*/first);
        }
      }
    }
    for (size_t i = 0; i < differentiable.size(); ++i) {
      if (!transposed[i].defined()) transposed[i] = zeros(i);
    }
    return transposed;
  };
  const auto once = compute(true), again = compute(false);
  for (size_t i = 0; i < once.size(); ++i) {
    result.jacobians.push_back(once[i].t());
    note_difference(once[i], again[i], i, 0, result);
  }
  return result;
}

ForwardJacobians forward_jacobians(const TensorFunction& function, const Tensors& inputs,
                                   const Tensors& outputs,
                                   const std::vector<Direction>* directions) {
  const auto expected = differentiable_types(outputs);
  const auto differentiable = differentiable_inputs(inputs);
  ForwardJacobians result;
  const ForwardLevel level;
  Tensors tangents;
  auto duals = inputs;
  for (const size_t index : differentiable) {
    const auto primal = inputs[index].detach();
    duals[index] = level.make_dual(primal, at::zeros_like(primal));
    // Of a view the dual may have another tangent than it was given.
    tangents.push_back(level.tangent_of(duals[index]));
  }
  const auto evaluate = [&](Tensors& by_output, int64_t row) {
    const auto results = differentiable_types(function(duals));
    for (size_t o = 0; o < by_output.size() && o < results.size(); ++o) {
      const auto tangent = level.tangent_of(results[o]);
      if (!tangent.defined()) continue;
      if (tangent.is_complex() != results[o].is_complex()) result.dtypes_match = false;
      by_output[o].select(0, row).copy_(tangent.detach().reshape(-1));
    }
  };
  for (size_t i = 0; i < differentiable.size(); ++i) {
    auto& tangent = tangents[i];
    const int64_t rows = directions != nullptr ? 1 : tangent.numel();
    auto& by_output = result.jacobians.emplace_back();
    for (const auto& output : expected)
      by_output.push_back(at::zeros({rows, output.numel()}, output.options()));
    if (directions != nullptr) {
      tangent.copy_((*directions)[i].real.view_as(tangent));
      evaluate(by_output, 0);
      tangent.zero_();
      continue;
    }
    for (int64_t row = 0; row < rows; ++row) {
      const auto entry = element_of(tangent, row);
      entry.fill_(1);
      evaluate(by_output, row);
      entry.fill_(0);
    }
  }
  return result;
}

}  // namespace opsmith
