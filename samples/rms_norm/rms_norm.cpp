// Root mean square normalisation over the last dimension, the way an operator is written today:
// a schema, one kernel for each device, shapes for tracing (Meta), and autograd on top. The headers
// are the lean ones, which compile in a fraction of the time of <torch/torch.h>.

#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/Parallel.h>
#include <opsmith_kernels/rms_norm.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <tuple>

#include "rms_norm_arguments.h"

namespace {

using at::Tensor;
using namespace rms_norm_sample;

/// Rows that are worth a thread of their own, by the elements in them.
int64_t row_grain(int64_t columns) {
  return std::max<int64_t>(1, 16384 / columns);
}

/// y of x's shape, and 1 / rms of each row, [rows].
std::tuple<Tensor, Tensor> rms_norm_forward_cpu(const Tensor& x, const Tensor& weight, double eps) {
  check_inputs(x, weight);
  const Tensor in = x.contiguous();
  const Tensor scale = weight.contiguous();
  const int64_t columns = in.size(-1);
  const int64_t rows = in.numel() / columns;
  Tensor y = at::empty_like(in);
  Tensor inverse_rms = at::empty({rows}, in.options().dtype(accumulate_type(in)));
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, in.scalar_type(), "rms_norm_forward_cpu", [&] {
        using accumulate = at::opmath_type<scalar_t>;
        const auto* x_data = in.const_data_ptr<scalar_t>();
        const auto* weight_data = scale.const_data_ptr<scalar_t>();
        auto* y_data = y.mutable_data_ptr<scalar_t>();
        auto* inverse_data = inverse_rms.mutable_data_ptr<accumulate>();
        at::parallel_for(0, rows, row_grain(columns), [&](int64_t begin, int64_t end) {
          opsmith_kernels::rms_norm_rows(x_data, weight_data, y_data, inverse_data, begin, end,
                                         columns, static_cast<accumulate>(eps));
        });
      });
  return {y, inverse_rms};
}

std::tuple<Tensor, Tensor> rms_norm_forward_meta(const Tensor& x, const Tensor& weight, double) {
  check_inputs(x, weight);
  const auto rows = x.sym_numel() / x.sym_size(-1);
  return {at::empty_like(x, x.options(), at::MemoryFormat::Contiguous),
          at::empty_symint({rows}, x.options().dtype(accumulate_type(x)))};
}

/// Gradients of x and weight.
std::tuple<Tensor, Tensor> rms_norm_backward_cpu(const Tensor& grad, const Tensor& x,
                                                 const Tensor& weight, const Tensor& inverse_rms) {
  check_backward_inputs(grad, x, weight, inverse_rms);
  const Tensor incoming = grad.contiguous();
  const Tensor in = x.contiguous();
  const Tensor scale = weight.contiguous();
  const Tensor inverse = inverse_rms.contiguous();
  const int64_t columns = in.size(-1);
  const int64_t rows = in.numel() / columns;
  Tensor grad_x = at::empty_like(in);
  // One sum for each chunk of rows, added up at the end: no thread writes what another reads, and
  // the result does not depend on how many threads there are.
  const int64_t chunk = std::max(row_grain(columns), at::divup(rows, 64));
  const int64_t chunks = std::max<int64_t>(1, at::divup(rows, chunk));
  Tensor partial = at::zeros({chunks, columns}, in.options().dtype(accumulate_type(in)));
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, in.scalar_type(), "rms_norm_backward_cpu", [&] {
        using accumulate = at::opmath_type<scalar_t>;
        const auto* grad_data = incoming.const_data_ptr<scalar_t>();
        const auto* x_data = in.const_data_ptr<scalar_t>();
        const auto* weight_data = scale.const_data_ptr<scalar_t>();
        const auto* inverse_data = inverse.const_data_ptr<accumulate>();
        auto* grad_x_data = grad_x.mutable_data_ptr<scalar_t>();
        auto* partial_data = partial.mutable_data_ptr<accumulate>();
        at::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            opsmith_kernels::rms_norm_backward_rows(
                grad_data, x_data, weight_data, inverse_data, grad_x_data,
                partial_data + i * columns, i * chunk, std::min(rows, (i + 1) * chunk), columns);
          }
        });
      });
  return {grad_x, partial.sum(0).to(weight.scalar_type())};
}

std::tuple<Tensor, Tensor> rms_norm_backward_meta(const Tensor& grad, const Tensor& x,
                                                  const Tensor& weight, const Tensor& inverse_rms) {
  check_backward_inputs(grad, x, weight, inverse_rms);
  return {at::empty_like(x, x.options(), at::MemoryFormat::Contiguous),
          at::empty_like(weight, weight.options(), at::MemoryFormat::Contiguous)};
}

// Through the dispatcher, so that the same autograd code serves every device that has kernels.
std::tuple<Tensor, Tensor> call_forward(const Tensor& x, const Tensor& weight, double eps) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("rms_norm::forward", "")
                             .typed<decltype(rms_norm_forward_cpu)>();
  return op.call(x, weight, eps);
}

std::tuple<Tensor, Tensor> call_backward(const Tensor& grad, const Tensor& x, const Tensor& weight,
                                         const Tensor& inverse_rms) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("rms_norm::backward", "")
                             .typed<decltype(rms_norm_backward_cpu)>();
  return op.call(grad, x, weight, inverse_rms);
}

struct RmsNorm : torch::autograd::Function<RmsNorm> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x,
                        const Tensor& weight, double eps) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    auto [y, inverse_rms] = call_forward(x, weight, eps);
    ctx->save_for_backward({x, weight, inverse_rms});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    auto [grad_x, grad_weight] = call_backward(grads[0], saved[0], saved[1], saved[2]);
    return {grad_x, grad_weight, Tensor()};
  }
};

Tensor rms_norm_autograd(const Tensor& x, const Tensor& weight, double eps) {
  return RmsNorm::apply(x, weight, eps);
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
  return std::get<0>(call_forward(x, weight, eps));
}

TORCH_LIBRARY(rms_norm, m) {
  m.def("rms_norm(Tensor x, Tensor weight, float eps=1e-06) -> Tensor");
  m.def("forward(Tensor x, Tensor weight, float eps) -> (Tensor y, Tensor inverse_rms)");
  m.def(
      "backward(Tensor grad, Tensor x, Tensor weight, Tensor inverse_rms) -> "
      "(Tensor grad_x, Tensor grad_weight)");
}

TORCH_LIBRARY_IMPL(rms_norm, CPU, m) {
  m.impl("forward", &rms_norm_forward_cpu);
  m.impl("backward", &rms_norm_backward_cpu);
}

TORCH_LIBRARY_IMPL(rms_norm, Meta, m) {
  m.impl("forward", &rms_norm_forward_meta);
  m.impl("backward", &rms_norm_backward_meta);
}

TORCH_LIBRARY_IMPL(rms_norm, CompositeExplicitAutograd, m) {
  m.impl("rms_norm", &rms_norm);
}

TORCH_LIBRARY_IMPL(rms_norm, Autograd, m) {
  m.impl("rms_norm", &rms_norm_autograd);
}

}  // namespace
