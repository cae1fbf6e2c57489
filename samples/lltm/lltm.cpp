// The LLTM cell. A matrix product of libtorch computes the gates. The elementwise functions that
// follow are one kernel, so that no intermediate result goes through memory.

#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <tuple>

#include "lltm_arguments.h"
#include "lltm_cell.h"

namespace {

using at::Tensor;
using namespace lltm_sample;

/// Numbers that are worth a thread of their own.
constexpr int64_t grain = 1024;

/// new_h and new_cell [batch, states], and the activated gates [batch, 3 * states].
std::tuple<Tensor, Tensor, Tensor> forward_cpu(const Tensor& gates, const Tensor& old_cell) {
  check_inputs(gates, old_cell);
  const Tensor before = gates.contiguous();
  const Tensor old = old_cell.contiguous();
  Tensor new_h = at::empty_like(old);
  Tensor new_cell = at::empty_like(old);
  Tensor activated = at::empty_like(before);
  const int64_t states = old.size(1);
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, before.scalar_type(), "lltm_forward_cpu", [&] {
        using real = at::opmath_type<scalar_t>;
        const auto* gate_data = before.const_data_ptr<scalar_t>();
        const auto* old_data = old.const_data_ptr<scalar_t>();
        auto* h_data = new_h.mutable_data_ptr<scalar_t>();
        auto* cell_data = new_cell.mutable_data_ptr<scalar_t>();
        auto* activated_data = activated.mutable_data_ptr<scalar_t>();
        at::parallel_for(0, old.numel(), grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t at = i / states * 3 * states + i % states;
            const auto gate = [&](int64_t number) {
              return static_cast<real>(gate_data[at + number * states]);
            };
            const Activated<real> now = activate(gate(0), gate(1), gate(2));
            const State<real> next = next_state(now, static_cast<real>(old_data[i]));
            h_data[i] = static_cast<scalar_t>(next.h);
            cell_data[i] = static_cast<scalar_t>(next.cell);
            activated_data[at] = static_cast<scalar_t>(now.input);
            activated_data[at + states] = static_cast<scalar_t>(now.output);
            activated_data[at + 2 * states] = static_cast<scalar_t>(now.candidate);
          }
        });
      });
  return {new_h, new_cell, activated};
}

/// Gradients of gates and old_cell.
std::tuple<Tensor, Tensor> backward_cpu(const Tensor& grad_h, const Tensor& grad_cell,
                                        const Tensor& new_cell, const Tensor& activated) {
  check_backward_inputs(grad_h, grad_cell, new_cell, activated);
  const Tensor of_h = grad_h.contiguous();
  const Tensor of_cell = grad_cell.contiguous();
  const Tensor cell = new_cell.contiguous();
  const Tensor gates = activated.contiguous();
  Tensor grad_gates = at::empty_like(gates);
  Tensor grad_old_cell = at::empty_like(cell);
  const int64_t states = cell.size(1);
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, gates.scalar_type(), "lltm_backward_cpu", [&] {
        using real = at::opmath_type<scalar_t>;
        const auto* h_data = of_h.const_data_ptr<scalar_t>();
        const auto* cell_grad_data = of_cell.const_data_ptr<scalar_t>();
        const auto* cell_data = cell.const_data_ptr<scalar_t>();
        const auto* gate_data = gates.const_data_ptr<scalar_t>();
        auto* grad_gate_data = grad_gates.mutable_data_ptr<scalar_t>();
        auto* grad_old_data = grad_old_cell.mutable_data_ptr<scalar_t>();
        at::parallel_for(0, cell.numel(), grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t at = i / states * 3 * states + i % states;
            const auto gate = [&](int64_t number) {
              return static_cast<real>(gate_data[at + number * states]);
            };
            const State<real> grad{static_cast<real>(h_data[i]),
                                   static_cast<real>(cell_grad_data[i])};
            const Gradients<real> found =
                gradients_of(grad, {gate(0), gate(1), gate(2)}, static_cast<real>(cell_data[i]));
            grad_gate_data[at] = static_cast<scalar_t>(found.gates.input);
            grad_gate_data[at + states] = static_cast<scalar_t>(found.gates.output);
            grad_gate_data[at + 2 * states] = static_cast<scalar_t>(found.gates.candidate);
            grad_old_data[i] = static_cast<scalar_t>(found.old_cell);
          }
        });
      });
  return {grad_gates, grad_old_cell};
}

Tensor empty_contiguous(const Tensor& like) {
  return at::empty_like(like, like.options(), at::MemoryFormat::Contiguous);
}

std::tuple<Tensor, Tensor, Tensor> forward_meta(const Tensor& gates, const Tensor& old_cell) {
  check_inputs(gates, old_cell);
  return {empty_contiguous(old_cell), empty_contiguous(old_cell), empty_contiguous(gates)};
}

std::tuple<Tensor, Tensor> backward_meta(const Tensor& grad_h, const Tensor& grad_cell,
                                         const Tensor& new_cell, const Tensor& activated) {
  check_backward_inputs(grad_h, grad_cell, new_cell, activated);
  return {empty_contiguous(activated), empty_contiguous(new_cell)};
}

// Through the dispatcher, so that the same autograd code serves every device that has kernels.
std::tuple<Tensor, Tensor, Tensor> call_forward(const Tensor& gates, const Tensor& old_cell) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("lltm::forward", "")
                             .typed<decltype(forward_cpu)>();
  return op.call(gates, old_cell);
}

std::tuple<Tensor, Tensor> call_backward(const Tensor& grad_h, const Tensor& grad_cell,
                                         const Tensor& new_cell, const Tensor& activated) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("lltm::backward", "")
                             .typed<decltype(backward_cpu)>();
  return op.call(grad_h, grad_cell, new_cell, activated);
}

struct Pointwise : torch::autograd::Function<Pointwise> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* ctx,
                                                const Tensor& gates, const Tensor& old_cell) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    auto [new_h, new_cell, activated] = call_forward(gates, old_cell);
    ctx->save_for_backward({new_cell, activated});
    return {new_h, new_cell};
  }

  /// A result that nobody used has a gradient of zeros here.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    auto [grad_gates, grad_old_cell] = call_backward(grads[0], grads[1], saved[0], saved[1]);
    return {grad_gates, grad_old_cell};
  }
};

std::tuple<Tensor, Tensor> pointwise_autograd(const Tensor& gates, const Tensor& old_cell) {
  const auto results = Pointwise::apply(gates, old_cell);
  return {results[0], results[1]};
}

std::tuple<Tensor, Tensor> pointwise(const Tensor& gates, const Tensor& old_cell) {
  auto [new_h, new_cell, activated] = call_forward(gates, old_cell);
  return {new_h, new_cell};
}

/// The whole cell, of differentiable operators alone: it needs neither kernels nor autograd itself.
/// input [batch, features], weights [3 * states, features + states], bias [3 * states].
std::tuple<Tensor, Tensor> cell(const Tensor& input, const Tensor& weights, const Tensor& bias,
                                const Tensor& old_h, const Tensor& old_cell) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("lltm::pointwise", "")
                             .typed<decltype(pointwise)>();
  const Tensor gates = at::addmm(bias, at::cat({old_h, input}, 1), weights.t());
  return op.call(gates, old_cell);
}

TORCH_LIBRARY(lltm, m) {
  m.def(
      "forward(Tensor gates, Tensor old_cell) -> (Tensor new_h, Tensor new_cell, Tensor "
      "activated)");
  m.def(
      "backward(Tensor grad_h, Tensor grad_cell, Tensor new_cell, Tensor activated) -> "
      "(Tensor grad_gates, Tensor grad_old_cell)");
  m.def("pointwise(Tensor gates, Tensor old_cell) -> (Tensor new_h, Tensor new_cell)");
  m.def(
      "cell(Tensor input, Tensor weights, Tensor bias, Tensor old_h, Tensor old_cell) -> "
      "(Tensor new_h, Tensor new_cell)",
      &cell);
}

TORCH_LIBRARY_IMPL(lltm, CPU, m) {
  m.impl("forward", &forward_cpu);
  m.impl("backward", &backward_cpu);
}

TORCH_LIBRARY_IMPL(lltm, Meta, m) {
  m.impl("forward", &forward_meta);
  m.impl("backward", &backward_meta);
}

TORCH_LIBRARY_IMPL(lltm, CompositeExplicitAutograd, m) {
  m.impl("pointwise", &pointwise);
}

TORCH_LIBRARY_IMPL(lltm, Autograd, m) {
  m.impl("pointwise", &pointwise_autograd);
}

}  // namespace
