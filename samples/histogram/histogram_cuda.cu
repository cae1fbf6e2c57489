// A histogram on CUDA. Threads of all blocks add to the same few counts. So each block first counts
// in its shared memory, where atomics are faster, and then adds its counts to the result once.

#include <ATen/ceil_div.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <algorithm>

#include "histogram_arguments.h"

namespace {

using at::Tensor;
using histogram_sample::bin_of;

/// The only 64-bit integer type of atomicAdd. A count has the same bits as in int64_t.
using wide_count = unsigned long long;

constexpr int threads_of_block = 256;

/// `of_block` is dynamic shared memory: the launch says how many bins there are.
template <typename scalar, typename real>
__global__ void shared_kernel(const scalar* __restrict__ x, wide_count* __restrict__ counts,
                              int64_t size, int bins, real low, real high) {
  extern __shared__ unsigned of_block[];
  for (int bin = static_cast<int>(threadIdx.x); bin < bins; bin += threads_of_block)
    of_block[bin] = 0;
  __syncthreads();
  const int64_t step = int64_t(gridDim.x) * threads_of_block;
  for (int64_t i = int64_t(blockIdx.x) * threads_of_block + threadIdx.x; i < size; i += step) {
    const int bin = bin_of(static_cast<real>(x[i]), low, high, bins);
    if (bin >= 0) atomicAdd(&of_block[bin], 1U);
  }
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < bins; bin += threads_of_block) {
    // Many bins of a block are empty, and atomics in global memory are slow.
    if (of_block[bin] != 0) atomicAdd(&counts[bin], wide_count(of_block[bin]));
  }
}

/// For more bins than shared memory holds.
template <typename scalar, typename real>
__global__ void global_kernel(const scalar* __restrict__ x, wide_count* __restrict__ counts,
                              int64_t size, int bins, real low, real high) {
  const int64_t step = int64_t(gridDim.x) * threads_of_block;
  for (int64_t i = int64_t(blockIdx.x) * threads_of_block + threadIdx.x; i < size; i += step) {
    const int bin = bin_of(static_cast<real>(x[i]), low, high, bins);
    if (bin >= 0) atomicAdd(&counts[bin], wide_count(1));
  }
}

Tensor histogram_cuda(const Tensor& x, int64_t bins, double low, double high) {
  histogram_sample::check_inputs(x, bins, low, high);
  const c10::cuda::CUDAGuard guard(x.device());
  const Tensor in = x.contiguous();
  Tensor counts = at::zeros({bins}, in.options().dtype(at::kLong));
  const int64_t size = in.numel();
  if (size == 0) return counts;  // a launch without blocks is an error
  // With several elements for each thread, a block adds its counts to the result less often. A
  // block counts fewer than 2³² elements, so unsigned holds its counts.
  constexpr int64_t of_thread = 8;
  const int64_t most = at::cuda::getCurrentDeviceProperties()->multiProcessorCount * 32;
  const auto blocks = static_cast<unsigned>(
      std::clamp<int64_t>(at::ceil_div<int64_t>(size, threads_of_block * of_thread), 1, most));
  // Every device gives a block as much shared memory as that.
  constexpr int64_t most_shared = 48 * 1024;
  const int64_t shared = bins * static_cast<int64_t>(sizeof(unsigned));
  auto* count_data = reinterpret_cast<wide_count*>(counts.mutable_data_ptr<int64_t>());
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, in.scalar_type(), "histogram_cuda", [&] {
        using real = at::opmath_type<scalar_t>;
        const auto* data = in.const_data_ptr<scalar_t>();
        const auto count = static_cast<int>(bins);
        if (shared <= most_shared) {
          shared_kernel<<<blocks, threads_of_block, static_cast<size_t>(shared), stream>>>(
              data, count_data, size, count, static_cast<real>(low), static_cast<real>(high));
        } else {
          global_kernel<<<blocks, threads_of_block, 0, stream>>>(
              data, count_data, size, count, static_cast<real>(low), static_cast<real>(high));
        }
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return counts;
}

TORCH_LIBRARY_IMPL(histogram, CUDA, m) {
  m.impl("histogram", &histogram_cuda);
}

}  // namespace
