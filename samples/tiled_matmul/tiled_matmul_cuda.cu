// The product of two matrices on CUDA, through tiles in shared memory. Without tiles, each element
// of a is read from global memory once for each column of b. With tiles, once for 16 columns.

#include <ATen/ceil_div.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <algorithm>

#include "tiled_matmul_arguments.h"

namespace {

using at::Tensor;

/// A block has tile x tile threads; each computes one element of a tile of the product.
constexpr int tile = 16;

template <typename scalar, typename accumulate>
__global__ void matmul_kernel(const scalar* __restrict__ a, const scalar* __restrict__ b,
                              scalar* __restrict__ product, int64_t rows, int64_t inner,
                              int64_t columns) {
  // In a warp, 16 lanes read the same element of a_tile, and neighbouring lanes read neighbouring
  // elements of b_tile: there are no bank conflicts.
  __shared__ accumulate a_tile[tile][tile];
  __shared__ accumulate b_tile[tile][tile];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int64_t column = int64_t(blockIdx.x) * tile + x;
  // gridDim.y is at most 65535: for more rows of tiles, a block takes several.
  for (int64_t first = int64_t(blockIdx.y) * tile; first < rows;
       first += int64_t(gridDim.y) * tile) {
    const int64_t row = first + y;
    accumulate sum = 0;
    for (int64_t k = 0; k < inner; k += tile) {
      // At the edges a tile has rows and columns that the matrix does not have. They are zero, so
      // they add nothing, and every thread reaches the barriers.
      a_tile[y][x] = row < rows && k + x < inner ? static_cast<accumulate>(a[row * inner + k + x])
                                                 : accumulate(0);
      b_tile[y][x] = k + y < inner && column < columns
                         ? static_cast<accumulate>(b[(k + y) * columns + column])
                         : accumulate(0);
      __syncthreads();  // both tiles are there
#pragma unroll
      for (int i = 0; i < tile; ++i)
        sum += a_tile[y][i] * b_tile[i][x];
      __syncthreads();  // both tiles were read, and may be overwritten
    }
    if (row < rows && column < columns) product[row * columns + column] = static_cast<scalar>(sum);
  }
}

Tensor matmul_cuda(const Tensor& a, const Tensor& b) {
  tiled_matmul_sample::check_inputs(a, b);
  const c10::cuda::CUDAGuard guard(a.device());
  const Tensor left = a.contiguous();
  const Tensor right = b.contiguous();
  const int64_t rows = a.size(0);
  const int64_t columns = b.size(1);
  Tensor product = at::empty({rows, columns}, left.options());
  if (product.numel() == 0) return product;  // a launch without blocks is an error
  const dim3 blocks(
      static_cast<unsigned>(at::ceil_div<int64_t>(columns, tile)),
      static_cast<unsigned>(std::min<int64_t>(at::ceil_div<int64_t>(rows, tile), 65535)));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, a.scalar_type(), "tiled_matmul_cuda", [&] {
        matmul_kernel<scalar_t, at::opmath_type<scalar_t>><<<blocks, dim3(tile, tile), 0, stream>>>(
            left.const_data_ptr<scalar_t>(), right.const_data_ptr<scalar_t>(),
            product.mutable_data_ptr<scalar_t>(), rows, a.size(1), columns);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return product;
}

TORCH_LIBRARY_IMPL(tiled_matmul, CUDA, m) {
  m.impl("matmul", &matmul_cuda);
}

}  // namespace
