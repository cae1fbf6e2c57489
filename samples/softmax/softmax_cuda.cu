// Softmax over the last dimension on CUDA. A block takes a row of any length: its threads go along
// the row in steps of the block's size, three times forward and twice backward.

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
#include <opsmith_kernels/block_reduce.cuh>

#include <limits>

#include "softmax_arguments.h"

namespace {

using at::Tensor;
using opsmith_kernels::block_reduce;
using opsmith_kernels::blocks_for;
using opsmith_kernels::Maximum;
using opsmith_kernels::most_warps;
using opsmith_kernels::Sum;
using opsmith_kernels::threads_for;
using namespace softmax_sample;

/// y[i] = exp(x[i] - m) / Σ exp(x[j] - m). Subtracting the maximum m only keeps exp finite.
/// Half types are computed in float (`accumulate`).
template <typename scalar, typename accumulate>
__global__ void forward_kernel(const scalar* __restrict__ x, scalar* __restrict__ y, int64_t rows,
                               int64_t columns, accumulate lowest) {
  __shared__ accumulate of_warps[most_warps];
  // All threads of a block have the same row, so that all of them reach the barriers.
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const scalar* const in = x + row * columns;
    scalar* const out = y + row * columns;

    accumulate most = lowest;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
      most = Maximum()(most, static_cast<accumulate>(in[i]));
    most = block_reduce(most, of_warps, lowest, Maximum());

    accumulate sum = 0;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
      sum += std::exp(static_cast<accumulate>(in[i]) - most);
    sum = block_reduce(sum, of_warps, accumulate(0), Sum());

    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
      out[i] = static_cast<scalar>(std::exp(static_cast<accumulate>(in[i]) - most) / sum);
  }
}

/// grad_x[i] = y[i] * (grad[i] - Σ grad[j] * y[j])
template <typename scalar, typename accumulate>
__global__ void backward_kernel(const scalar* __restrict__ grad, const scalar* __restrict__ y,
                                scalar* __restrict__ grad_x, int64_t rows, int64_t columns) {
  __shared__ accumulate of_warps[most_warps];
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const scalar* const incoming = grad + row * columns;
    const scalar* const result = y + row * columns;
    scalar* const out = grad_x + row * columns;

    accumulate dot = 0;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
      dot += static_cast<accumulate>(incoming[i]) * static_cast<accumulate>(result[i]);
    dot = block_reduce(dot, of_warps, accumulate(0), Sum());

    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
      out[i] = static_cast<scalar>(static_cast<accumulate>(result[i]) *
                                   (static_cast<accumulate>(incoming[i]) - dot));
    }
  }
}

Tensor softmax_forward_cuda(const Tensor& x) {
  check_input(x);
  const c10::cuda::CUDAGuard guard(x.device());
  const Tensor in = x.contiguous();
  Tensor y = at::empty_like(in);
  const int64_t columns = in.size(-1);
  const int64_t rows = in.numel() / columns;
  if (rows == 0) return y;  // a launch without blocks is an error
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, in.scalar_type(), "softmax_forward_cuda", [&] {
        using accumulate = at::opmath_type<scalar_t>;
        forward_kernel<<<blocks_for(rows), threads_for(columns), 0, stream>>>(
            in.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), rows, columns,
            -std::numeric_limits<accumulate>::infinity());
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return y;
}

Tensor softmax_backward_cuda(const Tensor& grad, const Tensor& y) {
  check_backward_inputs(grad, y);
  const c10::cuda::CUDAGuard guard(y.device());
  const Tensor incoming = grad.contiguous();
  const Tensor result = y.contiguous();
  Tensor grad_x = at::empty_like(result);
  const int64_t columns = result.size(-1);
  const int64_t rows = result.numel() / columns;
  if (rows == 0) return grad_x;
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, result.scalar_type(), "softmax_backward_cuda", [&] {
        backward_kernel<scalar_t, at::opmath_type<scalar_t>>
            <<<blocks_for(rows), threads_for(columns), 0, stream>>>(
                incoming.const_data_ptr<scalar_t>(), result.const_data_ptr<scalar_t>(),
                grad_x.mutable_data_ptr<scalar_t>(), rows, columns);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return grad_x;
}

TORCH_LIBRARY_IMPL(softmax, CUDA, m) {
  m.impl("softmax", &softmax_forward_cuda);
  m.impl("backward", &softmax_backward_cuda);
}

}  // namespace
