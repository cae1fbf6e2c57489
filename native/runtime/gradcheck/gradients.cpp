#include "runtime/gradcheck/gradients.h"

#include <ATen/Functions.h>
#include <ATen/LegacyVmapMode.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>

#include "runtime/failure.h"
#include "runtime/gradcheck/forward_level.h"
#include "runtime/sparse_tensors.h"

namespace opsmith {
namespace {

namespace autograd = torch::autograd;

[[noreturn]] void fail(const std::string& reason) {
  throw Failure(ErrorCode::operator_check, reason);
}

Tensors requiring_grad(const Tensors& tensors) {
  Tensors found;
  for (const size_t index : differentiable_inputs(tensors))
    found.push_back(tensors[index]);
  return found;
}

// Uniform numbers by SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, 2014). libtorch's generator takes ten times as long, and most of fast mode's own
// time.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}

  double from(double low, double high) {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return low + (high - low) * static_cast<double>(bits >> 11) * 0x1p-53;
  }

  at::Tensor tensor(int64_t count, double low, double high) {
    auto drawn = at::empty({count}, at::kDouble);
    auto* numbers = drawn.mutable_data_ptr<double>();
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = from(low, high);
    return drawn;
  }

 private:
  uint64_t state_;
};

at::Tensor unit_vector(const at::Tensor& like, Draws& draws, bool real) {
  const auto dtype = real ? c10::toRealValueType(like.scalar_type()) : like.scalar_type();
  const bool sparse = is_sparse(like);
  const auto places = sparse ? specified_places(like).to(like.device()) : at::Tensor();
  auto vector = draws.tensor(sparse ? places.numel() : like.numel(), 0, 1);
  vector = vector.div_(at::linalg_vector_norm(vector)).to(like.device(), dtype);
  if (!sparse) return vector;
  return at::zeros({like.numel()}, vector.options()).index_add(0, places, vector);
}

// The elements of a dense float64 tensor on the CPU; null for other tensors. A loop over them is
// faster than libtorch's kernels: allclose alone runs eight.
const double* plain_elements(const at::Tensor& tensor) {
  const bool is_plain = tensor.layout() == at::kStrided && tensor.is_cpu() &&
                        tensor.scalar_type() == at::kDouble && tensor.is_contiguous() &&
                        !tensor.is_neg() && !tensor._is_zerotensor();
  return is_plain ? tensor.const_data_ptr<double>() : nullptr;
}

// torch.allclose with its own tolerances.
bool all_close(const at::Tensor& actual, const at::Tensor& expected) {
  const auto *left = plain_elements(actual), *right = plain_elements(expected);
  if (left == nullptr || right == nullptr || actual.sizes() != expected.sizes())
    return at::allclose(actual, expected);
  constexpr double rtol = 1e-5, atol = 1e-8;
  for (int64_t i = 0; i < actual.numel(); ++i) {
    const double error = std::abs(left[i] - right[i]);
    const bool is_close = std::isfinite(error) && error <= atol + rtol * std::abs(right[i]);
    if (!is_close && left[i] != right[i]) return false;
  }
  return true;
}

// A NaN is not zero.
bool all_zero(const at::Tensor& tensor) {
  const auto* elements = plain_elements(tensor);
  if (elements == nullptr) return tensor.eq(0).all().item<bool>();
  return std::all_of(elements, elements + tensor.numel(), [](double one) { return one == 0; });
}

double sum_of(const at::Tensor& tensor) {
  const auto* elements = plain_elements(tensor);
  if (elements == nullptr) return tensor.sum().item<double>();
  return std::accumulate(elements, elements + tensor.numel(), 0.0);
}

Tensors zeros_like_all(const Tensors& tensors) {
  Tensors zeros;
  for (const auto& tensor : tensors)
    zeros.push_back(at::zeros_like(tensor.detach(), at::MemoryFormat::Contiguous));
  return zeros;
}

// The gradients of `wanted`, undefined where no output depends on them. The graph is kept.
Tensors gradients_kept(const Tensors& outputs, const Tensors& wanted, const Tensors& grad_outputs) {
  return autograd::grad(outputs, wanted, grad_outputs, /*retain_graph=*/true,
                        /*create_graph=*/false, /*allow_unused=*/true);
}

at::Tensor undefined_gradient_of(const at::Tensor& output) {
  return autograd::UndefinedGrad().apply({output}).at(0);
}

// Runs `call` on batched tensors, as torch's legacy vmap does, and takes the batch out of what it
// gives.
Tensors batched(const std::function<Tensors(const at::Tensor&)>& call, const Tensors& shards) {
  struct Level {
    int64_t number = at::impl::VmapMode::increment_nesting();
    ~Level() { at::impl::VmapMode::decrement_nesting(); }
  } level;
  const auto size = static_cast<int64_t>(shards.size());
  Tensors results;
  for (const auto& result : call(at::_add_batch_dim(at::stack(shards), 0, level.number)))
    results.push_back(at::_remove_batch_dim(result, level.number, size, 0));
  return results;
}

// Compares the results of `call` for each shard with its results for all shards at once.
// `mode` names what `call` runs, and `name` a result; `expected` has the results of the first
// shards that are known already.
void compare_batched(const char* mode, const std::function<Tensors(const at::Tensor&)>& call,
                     const Tensors& shards, const NameOfResult& name,
                     std::vector<Tensors> expected = {}) {
  for (size_t i = expected.size(); i < shards.size(); ++i)
    expected.push_back(call(shards[i]));
  Tensors actual;
  try {
    actual = batched(call, shards);
  } catch (...) {
    const auto message = describe_current_exception().message;
    fail(std::string(mode) + " throws under vmap: " + message.substr(0, message.find('\n')));
  }
  for (size_t i = 0; i < actual.size(); ++i) {
    Tensors parts;
    for (const auto& shard : expected)
      parts.push_back(shard[i]);
    if (!all_close(actual[i], at::stack(parts))) {
      fail(name(i) + " under vmap differs from its value without vmap");
    }
  }
}

Tensors random_like(const at::Tensor& tensor, size_t count = 2) {
  Draws draws(0);
  Tensors shards;
  for (size_t i = 0; i < count; ++i) {
    auto shard = draws.tensor(tensor.numel(), -1, 1);
    if (tensor.is_complex()) shard = at::complex(shard, draws.tensor(tensor.numel(), -1, 1));
    shards.push_back(shard.to(tensor.device(), tensor.scalar_type()).reshape(tensor.sizes()));
  }
  return shards;
}

}  // namespace

Directions make_directions(const Tensors& inputs, const Tensors* outputs) {
  Draws draws(0);
  Directions directions;
  for (const auto& input : requiring_grad(inputs)) {
    Direction direction{unit_vector(input, draws, true), {}};
    if (input.is_complex()) direction.imaginary = unit_vector(input, draws, true);
    directions.inputs.push_back(std::move(direction));
  }
  if (outputs != nullptr) {
    for (const auto& output : *outputs)
      directions.outputs.push_back(unit_vector(output, draws, false));
  }
  return directions;
}

double projected_atol(double atol, const Direction& u) {
  double sum = sum_of(u.real);
  if (u.imaginary.defined()) sum += sum_of(u.imaginary);
  return atol * sum;
}

void check_zero_gradients(const Tensors& inputs, const std::vector<std::string>& names,
                          const Tensors& outputs, bool masked) {
  const auto differentiable = differentiable_inputs(inputs);
  const auto wanted = requiring_grad(inputs);
  const auto gradients = gradients_kept(outputs, wanted, zeros_like_all(outputs));
  for (size_t i = 0; i < gradients.size(); ++i) {
    auto gradient = gradients[i];
    if (!gradient.defined()) continue;
    const auto& name = names[differentiable[i]];
    if (gradient.layout() != at::kStrided) {
      if (gradient.layout() != wanted[i].layout()) {
        std::ostringstream layouts;
        layouts << "the gradient of " << name << " is " << gradient.layout() << ", but " << name
                << " is " << wanted[i].layout();
        fail(layouts.str());
      }
      if (is_sparse(gradient) && (gradient.sparse_dim() != wanted[i].sparse_dim() ||
                                  gradient.dense_dim() != wanted[i].dense_dim())) {
        fail("the gradient of " + name +
             " has a different number of sparse or dense dimensions than " + name);
      }
      gradient = gradient.to_dense();
    }
    const bool zero =
        masked ? at::allclose(gradient, at::zeros_like(gradient)) : all_zero(gradient);
    if (!zero) {
      const bool has_nan = at::isnan(gradient).any().item<bool>();
      fail("the gradient of " + name +
           (has_nan ? " contains NaN when grad_output is zero: backward may compute 0 * inf"
                    : " is not zero when grad_output is zero: backward does not multiply by "
                      "grad_output"));
    }
    if (gradient.scalar_type() != wanted[i].scalar_type()) {
      fail("the gradient of " + name + " has a different dtype than " + name);
    }
    if (gradient.device() != wanted[i].device()) {
      fail("the gradient of " + name + " is on a different device than " + name);
    }
    if (gradient.sizes() != wanted[i].sizes()) {
      fail("the gradient of " + name + " has a different shape than " + name);
    }
  }
}

void check_undefined_gradients(const Tensors& inputs, const std::vector<std::string>& names,
                               const Tensors& outputs) {
  const auto differentiable = differentiable_inputs(inputs);
  const auto wanted = requiring_grad(inputs);
  const auto check = [&](const Tensors& given, const std::string& which) {
    Tensors gradients;
    try {
      gradients = gradients_kept(given, wanted, zeros_like_all(given));
    } catch (...) {
      const auto message = describe_current_exception().message;
      fail("backward throws when " + which + ": " + message.substr(0, message.find('\n')));
    }
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;
      // No sparse tensor can be compared with 0: PyTorch's own check ends in that error.
      const auto gradient = is_sparse(gradients[i]) ? gradients[i].to_dense() : gradients[i];
      if (!all_zero(gradient)) {
        fail("the gradient of " + names[differentiable[i]] + " is not zero when " + which);
      }
    }
  };
  const size_t count = outputs.size();
  Tensors none;
  for (const auto& output : outputs)
    none.push_back(undefined_gradient_of(output));
  check(none,
        count == 1 ? "grad_output is undefined" : "the gradients of all outputs are undefined");
  for (size_t undefined = 0; count > 1 && undefined < count; ++undefined) {
    auto all_but_one = outputs;
    all_but_one[undefined] = none[undefined];
    check(all_but_one, "the gradient of output " + std::to_string(undefined) +
                           " is undefined and the gradients of the other outputs are zero");
  }
}

void check_undefined_tangents(const TensorFunction& function, const Tensors& inputs,
                              const std::vector<std::string>& names) {
  const auto directions = make_directions(inputs, nullptr);
  const ForwardLevel level;
  auto duals = inputs;
  const auto differentiable = differentiable_inputs(inputs);
  for (size_t i = 0; i < differentiable.size(); ++i) {
    const size_t index = differentiable[i];
    const auto primal = inputs[index].detach();
    duals[index] = level.make_dual(primal, at::zeros_like(primal));
    level.tangent_of(duals[index]).copy_(directions.inputs[i].real.view_as(primal));
  }
  const auto tangents = [&] {
    Tensors found;
    for (const auto& output : function(duals)) {
      if (is_differentiable_type(output)) found.push_back(level.tangent_of(output));
    }
    return found;
  };
  for (const size_t index : differentiable) {
    const auto dual = duals[index], primal = inputs[index].detach();
    duals[index] = level.make_dual(primal, at::zeros_like(primal));
    const auto of_zero = tangents();
    duals[index] = inputs[index].detach();
    const auto of_none = tangents();
    duals[index] = dual;
    for (size_t o = 0; o < of_zero.size() && o < of_none.size(); ++o) {
      if (!of_zero[o].defined() || !of_none[o].defined()) continue;
      if (!all_close(of_zero[o], of_none[o])) {
        fail("the tangent of output " + std::to_string(o) + " changes when the tangent of " +
             names[index] + " is undefined instead of zero");
      }
    }
  }
}

void check_batched_gradients(const Tensors& inputs, const at::Tensor& output,
                             const NameOfResult& name, const std::optional<KnownGradients>& known) {
  const auto wanted = requiring_grad(inputs);
  const auto call = [&](const at::Tensor& gradient) {
    auto gradients = gradients_kept({output}, wanted, {gradient});
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) continue;
      gradients[i] = at::zeros({}, wanted[i].options()).expand(wanted[i].sizes());
    }
    return gradients;
  };
  if (!known) return compare_batched("backward", call, random_like(output), name);
  auto shards = random_like(output, 1);
  shards.insert(shards.begin(), known->grad_output);
  compare_batched("backward", call, shards, name, {known->gradients});
}

void check_batched_forward_gradients(const TensorFunction& function, const Tensors& inputs) {
  for (const size_t index : differentiable_inputs(inputs)) {
    const auto call = [&](const at::Tensor& tangent) {
      const ForwardLevel level;
      Tensors duals;
      for (const auto& input : inputs)
        duals.push_back(input.detach());
      duals[index] = level.make_dual(duals[index], tangent);
      Tensors tangents;
      for (const auto& output : function(duals)) {
        auto found = level.tangent_of(output);
        tangents.push_back(
            found.defined() ? found : at::zeros({}, output.options()).expand(output.sizes()));
      }
      return tangents;
    };
    compare_batched("forward mode", call, random_like(inputs[index]),
                    [](size_t o) { return "the tangent of output " + std::to_string(o); });
  }
}

std::string cause_near_point(const PointProbe& probe, const JacobianComparison& comparison) {
  const auto& worst = *comparison.worst;
  const auto data = probe.input.variable_data();
  int64_t offset = data.storage_offset(), flat = probe.row;
  for (int64_t dim = data.dim() - 1; dim >= 0; --dim) {
    offset += flat % data.size(dim) * data.stride(dim);
    flat /= data.size(dim);
  }
  const auto entry = data.as_strided({}, {}, offset);
  const auto original = entry.clone();
  const auto outputs = [&](double step) {
    entry.copy_(original + step);
    const auto flat = probe.function(probe.inputs)[probe.output].detach().reshape(-1).clone();
    entry.copy_(original);
    return flat;
  };
  const auto first = outputs(0);
  const auto output_dtype = first.scalar_type();
  if (!at::isFloatingType(output_dtype)) return "";
  if (!at::allclose(first, outputs(0), 0, 0, /*equal_nan=*/true)) {
    return "The function is not deterministic: two calls on the same input give different outputs.";
  }
  const auto value = [&](const at::Tensor& flat) { return flat[probe.column].item<double>(); };
  const double here = value(first), above = value(outputs(probe.eps)),
               below = value(outputs(-probe.eps));
  const double right = (above - here) / probe.eps, left = (here - below) / probe.eps;
  const double precision = output_dtype == at::kDouble  ? std::numeric_limits<double>::epsilon()
                           : output_dtype == at::kFloat ? std::numeric_limits<float>::epsilon()
                           : output_dtype == at::kHalf  ? 0x1p-10
                                                        : 0x1p-7;
  // A few units in the last place of the value, divided by the step.
  const double rounding = 4 * precision * std::max(std::abs(here), std::abs(above)) / probe.eps;
  std::ostringstream text;
  text.precision(4);
  if (worst.absolute <= rounding) {
    text << "Rounding: with eps " << probe.eps << ", the precision of "
         << c10::toString(output_dtype) << " can cause an error of " << rounding
         << " at this point. Use float64, or a larger eps.";
    return text.str();
  }
  if (output_dtype == at::kDouble && first.numel() > 0 && probe.eps < 1e-3 &&
      at::equal(first.to(at::kFloat).to(at::kDouble), first) &&
      !at::equal(probe.input.detach().to(at::kFloat).to(at::kDouble), probe.input.detach())) {
    return "Rounding: the function probably computes in float32: the output is float64, but each "
           "of "
           "its elements is exactly a float32 value.";
  }
  const double gap = std::abs(right - left);
  const double lower = std::min(left, right) - 0.01 * gap,
               upper = std::max(left, right) + 0.01 * gap;
  const bool between = worst.analytical >= lower && worst.analytical <= upper;
  // Of a smooth function the gap is eps times its second derivative: tiny beside the error.
  if (between && gap > 0.5 * worst.absolute && gap > 16 * rounding) {
    text << "The function is not differentiable at this point: the derivative is " << left
         << " from the left and " << right << " from the right.";
    return text.str();
  }
  return "";
}

}  // namespace opsmith
