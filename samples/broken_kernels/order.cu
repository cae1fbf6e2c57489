// Defects of order: threads that do not wait for each other, or wait for one that never comes.

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include "arguments.h"

namespace {

using at::Tensor;

__global__ void mirrored_sum_kernel(const float* x, float* y, int size) {
  __shared__ float tile[threads_of_block];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < size ? x[i] : 0;
  __syncthreads();
  const float mirrored = tile[threads_of_block - 1 - threadIdx.x];  // and: shared-race
  // Another warp may not have read this element yet: __syncthreads() is missing here.
  tile[threadIdx.x] += mirrored;  // finds: shared-race
  __syncthreads();
  if (i < size) y[i] = tile[threadIdx.x];
}

Tensor mirrored_sum(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  mirrored_sum_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void smooth_kernel(float* x, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = i / columns;
  if (row == 0 || row + 1 >= rows) return;
  // Threads of the rows above and below overwrite what this one reads. Read from one tensor, and
  // write to another.
  x[i] = (x[i - columns] + x[i] + x[i + columns]) / 3;  // finds: global-race
}

Tensor smooth(const Tensor& tensor) {
  Tensor x = checked(tensor).clone();
  TORCH_CHECK(x.dim() == 2, "x must be a matrix");
  const c10::cuda::CUDAGuard guard(x.device());
  const int size = static_cast<int>(x.numel());
  smooth_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.mutable_data_ptr<float>(), static_cast<int>(x.size(0)), static_cast<int>(x.size(1)));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return x;
}

__global__ void count_positive_kernel(const float* x, int* count, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Two threads read the same count, and one addition is lost. Use atomicAdd(count, 1).
  if (i < size && x[i] > 0) *count += 1;  // finds: non-atomic-accumulation
}

Tensor count_positive(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor count = at::zeros({1}, x.options().dtype(at::kInt));
  const int size = static_cast<int>(x.numel());
  count_positive_kernel<<<blocks_for(size), threads_of_block, 0,
                          at::cuda::getCurrentCUDAStream()>>>(x.const_data_ptr<float>(),
                                                              count.mutable_data_ptr<int>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return count;
}

__global__ void sum_of_warps_kernel(const float* x, float* sums, int size) {
  __shared__ float values[threads_of_block];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  float* const own = values + threadIdx.x - lane;
  own[lane] = i < size ? x[i] : 0;
  __syncwarp();
  for (int distance = 16; distance > 0; distance /= 2) {
    // Lanes of a warp need not run in step: __syncwarp() is missing at the end of the loop.
    if (lane < distance) own[lane] += own[lane + distance];  // finds: missing-syncwarp
  }
  if (lane == 0) sums[i / 32] = own[0];
}

Tensor sum_of_warps(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  const int size = static_cast<int>(x.numel());
  const int64_t warps = int64_t(blocks_for(size)) * threads_of_block / 32;
  Tensor sums = at::empty({warps}, x.options());
  sum_of_warps_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), sums.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sums;
}

__global__ void maximum_of_blocks_kernel(const float* x, float* most, int size) {
  __shared__ float values[threads_of_block];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  values[threadIdx.x] = x[i];
  // Threads after the end have returned, and never reach the barrier. Let them go on, with
  // -INFINITY.
  __syncthreads();  // finds: divergent-barrier
  if (threadIdx.x != 0) return;
  float found = values[0];
  for (int k = 1; k < threads_of_block && i + k < size; ++k)
    found = fmaxf(found, values[k]);
  most[blockIdx.x] = found;
}

Tensor maximum_of_blocks(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  const int size = static_cast<int>(x.numel());
  Tensor most = at::empty({int64_t(blocks_for(size))}, x.options());
  maximum_of_blocks_kernel<<<blocks_for(size), threads_of_block, 0,
                             at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), most.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return most;
}

__global__ void sum_of_all_kernel(const float* x, float* sum, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    float value = x[i];
    // The mask names all lanes, but those after the end do not come here. Shuffle outside of the
    // if, with 0 for what is after the end.
    for (int distance = 16; distance > 0; distance /= 2)
      value += __shfl_down_sync(0xffffffffU, value, distance);  // finds: deadlock
    if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
  }
}

Tensor sum_of_all(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor sum = at::zeros({1}, x.options());
  const int size = static_cast<int>(x.numel());
  sum_of_all_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), sum.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sum;
}

TORCH_LIBRARY_IMPL(broken_kernels, CUDA, m) {
  m.impl("mirrored_sum", &mirrored_sum);
  m.impl("smooth", &smooth);
  m.impl("count_positive", &count_positive);
  m.impl("sum_of_warps", &sum_of_warps);
  m.impl("maximum_of_blocks", &maximum_of_blocks);
  m.impl("sum_of_all", &sum_of_all);
}

}  // namespace
