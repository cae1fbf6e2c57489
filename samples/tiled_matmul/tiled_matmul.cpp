// The product of two matrices: schema, a CPU kernel, shapes for tracing (Meta), and autograd, which
// needs no kernels of its own. The CUDA kernel is in tiled_matmul_cuda.cu.

#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

#include "tiled_matmul_arguments.h"

namespace {

using at::Tensor;
using tiled_matmul_sample::check_inputs;

/// Row by row: a row of the result is a sum of rows of b, which lie in memory as they are read.
Tensor matmul_cpu(const Tensor& a, const Tensor& b) {
  check_inputs(a, b);
  const Tensor left = a.contiguous();
  const Tensor right = b.contiguous();
  const int64_t rows = a.size(0);
  const int64_t inner = a.size(1);
  const int64_t columns = b.size(1);
  Tensor product = at::empty({rows, columns}, left.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, a.scalar_type(), "tiled_matmul_cpu", [&] {
        using accumulate = at::opmath_type<scalar_t>;
        const auto* left_data = left.const_data_ptr<scalar_t>();
        const auto* right_data = right.const_data_ptr<scalar_t>();
        auto* product_data = product.mutable_data_ptr<scalar_t>();
        const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, inner * columns));
        at::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
          std::vector<accumulate> sums(columns);
          for (int64_t row = begin; row < end; ++row) {
            std::fill(sums.begin(), sums.end(), accumulate(0));
            for (int64_t k = 0; k < inner; ++k) {
              const auto factor = static_cast<accumulate>(left_data[row * inner + k]);
              for (int64_t column = 0; column < columns; ++column)
                sums[column] += factor * static_cast<accumulate>(right_data[k * columns + column]);
            }
            for (int64_t column = 0; column < columns; ++column)
              product_data[row * columns + column] = static_cast<scalar_t>(sums[column]);
          }
        });
      });
  return product;
}

Tensor matmul_meta(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2, "tiled_matmul: a and b must be matrices");
  return a.new_empty_symint({a.sym_size(0), b.sym_size(1)});
}

Tensor call_matmul(const Tensor& a, const Tensor& b) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("tiled_matmul::matmul", "")
                             .typed<decltype(matmul_cpu)>();
  return op.call(a, b);
}

struct Matmul : torch::autograd::Function<Matmul> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({a, b});
    return call_matmul(a, b);
  }

  /// Two more products, by the same operator: so the gradient is differentiable too.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor& a = saved[0];
    const Tensor& b = saved[1];
    Tensor grad_a;
    Tensor grad_b;
    if (ctx->needs_input_grad(0)) grad_a = call_matmul(grads[0], b.t());
    if (ctx->needs_input_grad(1)) grad_b = call_matmul(a.t(), grads[0]);
    return {grad_a, grad_b};
  }
};

Tensor matmul_autograd(const Tensor& a, const Tensor& b) {
  return Matmul::apply(a, b);
}

TORCH_LIBRARY(tiled_matmul, m) {
  m.def("matmul(Tensor a, Tensor b) -> Tensor");
}

TORCH_LIBRARY_IMPL(tiled_matmul, CPU, m) {
  m.impl("matmul", &matmul_cpu);
}

TORCH_LIBRARY_IMPL(tiled_matmul, Meta, m) {
  m.impl("matmul", &matmul_meta);
}

TORCH_LIBRARY_IMPL(tiled_matmul, Autograd, m) {
  m.impl("matmul", &matmul_autograd);
}

}  // namespace
