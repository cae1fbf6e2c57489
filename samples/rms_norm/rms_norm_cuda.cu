// The CUDA kernels of rms_norm. A block takes a row: its threads go along the row, and add up what
// they found.

#include <ATen/ceil_div.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
#include <opsmith_kernels/block_reduce.cuh>

#include <algorithm>
#include <tuple>

#include "rms_norm_arguments.h"

namespace {

using at::Tensor;
using opsmith_kernels::block_reduce;
using opsmith_kernels::blocks_for;
using opsmith_kernels::most_warps;
using opsmith_kernels::Sum;
using opsmith_kernels::threads_for;
using opsmith_kernels::warp_size;
using namespace rms_norm_sample;

/// y = x / sqrt(mean(x²) + eps) * weight, row by row; x and y [rows, columns].
template <typename scalar, typename accumulate>
__global__ void forward_kernel(const scalar* __restrict__ x, const scalar* __restrict__ weight,
                               scalar* __restrict__ y, accumulate* __restrict__ inverse_rms,
                               int64_t rows, int64_t columns, accumulate eps) {
  __shared__ accumulate of_warps[most_warps];
  // All threads of a block have the same row, so that all of them reach the barriers.
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const scalar* const in = x + row * columns;
    scalar* const out = y + row * columns;
    accumulate squares = 0;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
      const auto value = static_cast<accumulate>(in[i]);
      squares += value * value;
    }
    squares = block_reduce(squares, of_warps, accumulate(0), Sum());
    const accumulate scale =
        accumulate(1) / std::sqrt(squares / static_cast<accumulate>(columns) + eps);
    if (threadIdx.x == 0) inverse_rms[row] = scale;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
      out[i] = static_cast<scalar>(static_cast<accumulate>(in[i]) * scale *
                                   static_cast<accumulate>(weight[i]));
    }
  }
}

/// With s the inverse root mean square and g = grad * weight:
///   grad_x = s * g - x * s³ * mean(g * x)
template <typename scalar, typename accumulate>
__global__ void grad_x_kernel(const scalar* __restrict__ grad, const scalar* __restrict__ x,
                              const scalar* __restrict__ weight,
                              const accumulate* __restrict__ inverse_rms,
                              scalar* __restrict__ grad_x, int64_t rows, int64_t columns) {
  __shared__ accumulate of_warps[most_warps];
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const scalar* const incoming = grad + row * columns;
    const scalar* const in = x + row * columns;
    scalar* const out = grad_x + row * columns;
    accumulate dot = 0;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
      dot += static_cast<accumulate>(incoming[i]) * static_cast<accumulate>(weight[i]) *
             static_cast<accumulate>(in[i]);
    }
    dot = block_reduce(dot, of_warps, accumulate(0), Sum());
    const accumulate scale = inverse_rms[row];
    const accumulate shift = dot / static_cast<accumulate>(columns) * scale * scale;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
      out[i] = static_cast<scalar>(
          scale * (static_cast<accumulate>(incoming[i]) * static_cast<accumulate>(weight[i]) -
                   shift * static_cast<accumulate>(in[i])));
    }
  }
}

constexpr int stripes = 8;

/// grad_weight = Σ over rows of grad * x * s. A block adds up 32 columns of one chunk of the rows:
/// neighbouring threads have neighbouring columns, and so read neighbouring memory. Chunks are
/// added up later, in a fixed order: with atomics, the last digits would differ from call to call.
template <typename scalar, typename accumulate>
__global__ void grad_weight_kernel(const scalar* __restrict__ grad, const scalar* __restrict__ x,
                                   const accumulate* __restrict__ inverse_rms,
                                   accumulate* __restrict__ partial, int64_t rows, int64_t columns,
                                   int64_t chunk) {
  __shared__ accumulate sums[stripes][warp_size];
  const int64_t column = int64_t(blockIdx.x) * warp_size + threadIdx.x;
  const int64_t begin = int64_t(blockIdx.y) * chunk;
  const int64_t end = begin + chunk < rows ? begin + chunk : rows;
  accumulate sum = 0;
  if (column < columns) {
    for (int64_t row = begin + threadIdx.y; row < end; row += stripes) {
      sum += static_cast<accumulate>(grad[row * columns + column]) *
             static_cast<accumulate>(x[row * columns + column]) * inverse_rms[row];
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (int stripe = 1; stripe < stripes; ++stripe)
    sum += sums[stripe][threadIdx.x];
  partial[blockIdx.y * columns + column] = sum;
}

std::tuple<Tensor, Tensor> rms_norm_forward_cuda(const Tensor& x, const Tensor& weight,
                                                 double eps) {
  check_inputs(x, weight);
  const c10::cuda::CUDAGuard guard(x.device());
  const Tensor in = x.contiguous();
  const Tensor scale = weight.contiguous();
  const int64_t columns = in.size(-1);
  const int64_t rows = in.numel() / columns;
  Tensor y = at::empty_like(in);
  Tensor inverse_rms = at::empty({rows}, in.options().dtype(accumulate_type(in)));
  if (rows == 0) return {y, inverse_rms};  // a launch without blocks is an error
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, in.scalar_type(), "rms_norm_forward_cuda", [&] {
        using accumulate = at::opmath_type<scalar_t>;
        forward_kernel<<<blocks_for(rows), threads_for(columns), 0, stream>>>(
            in.const_data_ptr<scalar_t>(), scale.const_data_ptr<scalar_t>(),
            y.mutable_data_ptr<scalar_t>(), inverse_rms.mutable_data_ptr<accumulate>(), rows,
            columns, static_cast<accumulate>(eps));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return {y, inverse_rms};
}

std::tuple<Tensor, Tensor> rms_norm_backward_cuda(const Tensor& grad, const Tensor& x,
                                                  const Tensor& weight, const Tensor& inverse_rms) {
  check_backward_inputs(grad, x, weight, inverse_rms);
  const c10::cuda::CUDAGuard guard(x.device());
  const Tensor incoming = grad.contiguous();
  const Tensor in = x.contiguous();
  const Tensor scale = weight.contiguous();
  const Tensor inverse = inverse_rms.contiguous();
  const int64_t columns = in.size(-1);
  const int64_t rows = in.numel() / columns;
  Tensor grad_x = at::empty_like(in);
  const int64_t chunk = std::max<int64_t>(16 * stripes, at::ceil_div<int64_t>(rows, 64));
  const int64_t chunks = at::ceil_div<int64_t>(rows, chunk);
  Tensor partial = at::empty({chunks, columns}, in.options().dtype(accumulate_type(in)));
  if (rows == 0) return {grad_x, partial.sum(0).to(weight.scalar_type())};
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, in.scalar_type(), "rms_norm_backward_cuda", [&] {
        using accumulate = at::opmath_type<scalar_t>;
        const auto* grad_data = incoming.const_data_ptr<scalar_t>();
        const auto* x_data = in.const_data_ptr<scalar_t>();
        const auto* inverse_data = inverse.const_data_ptr<accumulate>();
        grad_x_kernel<<<blocks_for(rows), threads_for(columns), 0, stream>>>(
            grad_data, x_data, scale.const_data_ptr<scalar_t>(), inverse_data,
            grad_x.mutable_data_ptr<scalar_t>(), rows, columns);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        const dim3 blocks(static_cast<unsigned>(at::ceil_div<int64_t>(columns, warp_size)),
                          static_cast<unsigned>(chunks));
        grad_weight_kernel<<<blocks, dim3(warp_size, stripes), 0, stream>>>(
            grad_data, x_data, inverse_data, partial.mutable_data_ptr<accumulate>(), rows, columns,
            chunk);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return {grad_x, partial.sum(0).to(weight.scalar_type())};
}

TORCH_LIBRARY_IMPL(rms_norm, CUDA, m) {
  m.impl("forward", &rms_norm_forward_cuda);
  m.impl("backward", &rms_norm_backward_cuda);
}

}  // namespace
