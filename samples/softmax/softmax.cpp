// Softmax over the last dimension: schemas, the CPU's kernels, shapes for tracing (Meta), and
// autograd. The CUDA kernels are in softmax_cuda.cu.

#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty_like.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>

#include "softmax_arguments.h"

namespace {

using at::Tensor;
using namespace softmax_sample;

/// Rows that are worth a thread of their own, by the elements in them.
int64_t row_grain(int64_t columns) {
  return std::max<int64_t>(1, 16384 / columns);
}

/// y[i] = exp(x[i] - m) / Σ exp(x[j] - m). Subtracting the maximum m only keeps exp finite.
template <typename accumulate, typename scalar>
void softmax_row(const scalar* x, scalar* y, int64_t columns) {
  auto most = static_cast<accumulate>(x[0]);
  for (int64_t i = 1; i < columns; ++i) {
    const auto value = static_cast<accumulate>(x[i]);
    if (value > most || std::isnan(value)) most = value;
  }
  accumulate sum = 0;
  for (int64_t i = 0; i < columns; ++i)
    sum += std::exp(static_cast<accumulate>(x[i]) - most);
  for (int64_t i = 0; i < columns; ++i)
    y[i] = static_cast<scalar>(std::exp(static_cast<accumulate>(x[i]) - most) / sum);
}

/// grad_x[i] = y[i] * (grad[i] - Σ grad[j] * y[j])
template <typename accumulate, typename scalar>
void softmax_backward_row(const scalar* grad, const scalar* y, scalar* grad_x, int64_t columns) {
  accumulate dot = 0;
  for (int64_t i = 0; i < columns; ++i)
    dot += static_cast<accumulate>(grad[i]) * static_cast<accumulate>(y[i]);
  for (int64_t i = 0; i < columns; ++i) {
    grad_x[i] = static_cast<scalar>(static_cast<accumulate>(y[i]) *
                                    (static_cast<accumulate>(grad[i]) - dot));
  }
}

Tensor softmax_forward_cpu(const Tensor& x) {
  check_input(x);
  const Tensor in = x.contiguous();
  Tensor y = at::empty_like(in);
  const int64_t columns = in.size(-1);
  const int64_t rows = in.numel() / columns;
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, in.scalar_type(), "softmax_forward_cpu", [&] {
        const auto* x_data = in.const_data_ptr<scalar_t>();
        auto* y_data = y.mutable_data_ptr<scalar_t>();
        at::parallel_for(0, rows, row_grain(columns), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            softmax_row<at::opmath_type<scalar_t>>(x_data + row * columns, y_data + row * columns,
                                                   columns);
          }
        });
      });
  return y;
}

Tensor softmax_backward_cpu(const Tensor& grad, const Tensor& y) {
  check_backward_inputs(grad, y);
  const Tensor incoming = grad.contiguous();
  const Tensor result = y.contiguous();
  Tensor grad_x = at::empty_like(result);
  const int64_t columns = result.size(-1);
  const int64_t rows = result.numel() / columns;
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, result.scalar_type(), "softmax_backward_cpu", [&] {
        const auto* grad_data = incoming.const_data_ptr<scalar_t>();
        const auto* y_data = result.const_data_ptr<scalar_t>();
        auto* grad_x_data = grad_x.mutable_data_ptr<scalar_t>();
        at::parallel_for(0, rows, row_grain(columns), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t at = row * columns;
            softmax_backward_row<at::opmath_type<scalar_t>>(grad_data + at, y_data + at,
                                                            grad_x_data + at, columns);
          }
        });
      });
  return grad_x;
}

Tensor softmax_forward_meta(const Tensor& x) {
  check_input(x);
  return at::empty_like(x, x.options(), at::MemoryFormat::Contiguous);
}

Tensor softmax_backward_meta(const Tensor& grad, const Tensor& y) {
  check_backward_inputs(grad, y);
  return at::empty_like(y, y.options(), at::MemoryFormat::Contiguous);
}

// Through the dispatcher, so that the same autograd code serves every device that has kernels.
Tensor call_forward(const Tensor& x) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("softmax::softmax", "")
                             .typed<decltype(softmax_forward_cpu)>();
  return op.call(x);
}

Tensor call_backward(const Tensor& grad, const Tensor& y) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("softmax::backward", "")
                             .typed<decltype(softmax_backward_cpu)>();
  return op.call(grad, y);
}

/// Its own backward is differentiable: y depends on x, so second derivatives need both.
struct SoftmaxBackward : torch::autograd::Function<SoftmaxBackward> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& grad,
                        const Tensor& y) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({grad, y});
    return call_backward(grad, y);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor& grad = saved[0];
    const Tensor& y = saved[1];
    // With g the gradient of y * (grad - sum(grad * y)): tensor operations, which autograd knows.
    const Tensor g = grads[0];
    const Tensor of_grad = y * (g - (g * y).sum(-1, true));
    const Tensor of_y = g * (grad - (grad * y).sum(-1, true)) - grad * (g * y).sum(-1, true);
    return {of_grad, of_y};
  }
};

struct Softmax : torch::autograd::Function<Softmax> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    Tensor y = call_forward(x);
    ctx->save_for_backward({y});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    return {call_backward(grads[0], ctx->get_saved_variables()[0])};
  }
};

Tensor softmax_autograd(const Tensor& x) {
  return Softmax::apply(x);
}

Tensor softmax_backward_autograd(const Tensor& grad, const Tensor& y) {
  return SoftmaxBackward::apply(grad, y);
}

TORCH_LIBRARY(softmax, m) {
  m.def("softmax(Tensor x) -> Tensor");
  m.def("backward(Tensor grad, Tensor y) -> Tensor");
}

TORCH_LIBRARY_IMPL(softmax, CPU, m) {
  m.impl("softmax", &softmax_forward_cpu);
  m.impl("backward", &softmax_backward_cpu);
}

TORCH_LIBRARY_IMPL(softmax, Meta, m) {
  m.impl("softmax", &softmax_forward_meta);
  m.impl("backward", &softmax_backward_meta);
}

TORCH_LIBRARY_IMPL(softmax, Autograd, m) {
  m.impl("softmax", &softmax_autograd);
  m.impl("backward", &softmax_backward_autograd);
}

}  // namespace
