// Defects of memory: where a kernel reads and writes, and whose memory that is.

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <vector>

#include "arguments.h"

namespace {

using at::Tensor;

__global__ void differences_kernel(const float* x, float* y, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  // The last element has no neighbour: x[size] is outside. Compare with size - 1 instead.
  y[i] = x[i + 1] - x[i];  // finds: out-of-bounds
}

Tensor differences(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  differences_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void moving_sum_kernel(const float* x, float* y, int size) {
  // Needs one element more, for the neighbour of the last thread: [threads_of_block + 1].
  __shared__ float tile[threads_of_block];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  tile[threadIdx.x + 1] = i < size ? x[i] : 0;  // finds: out-of-bounds
  __syncthreads();
  if (i < size) y[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}

Tensor moving_sum(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  moving_sum_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void sum_of_rows_kernel(const float* x, float* sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  // A row of 6 floats is 24 bytes: every second one begins between multiples of 16. Read float2, or
  // make the rows longer.
  const auto* in = reinterpret_cast<const float4*>(x + row * columns);
  const float four = in->x + in->y + in->z + in->w;  // finds: misaligned
  float sum = four;
  for (int column = 4; column < columns; ++column)
    sum += x[row * columns + column];
  sums[row] = sum;
}

Tensor sum_of_rows(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  TORCH_CHECK(x.dim() == 2 && x.size(1) >= 4, "x must be a matrix of four columns or more");
  const c10::cuda::CUDAGuard guard(x.device());
  const int rows = static_cast<int>(x.size(0));
  Tensor sums = at::empty({rows}, x.options());
  sum_of_rows_kernel<<<blocks_for(rows), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), sums.mutable_data_ptr<float>(), rows, static_cast<int>(x.size(1)));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sums;
}

__global__ void divide_kernel(const float* x, const float* divisor, float* y, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = x[i] / *divisor;  // finds: use-after-free
}

/// The mean's tensor is freed at the end of this function: a pointer does not keep it. Return the
/// tensor.
const float* mean_of(const Tensor& x) {
  const Tensor mean = x.mean();
  return mean.const_data_ptr<float>();
}

Tensor divide_by_mean(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  divide_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), mean_of(x), y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void prefix_of_pairs_kernel(const float* x, float* y, int size) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 >= size) return;
  y[i + 1] = x[i] + x[i + 1];
  // y comes from at::empty: nothing wrote y[i]. Write x[i] there first, or begin with at::zeros.
  y[i + 1] += y[i];  // finds: uninitialized-read
}

Tensor prefix_of_pairs(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  prefix_of_pairs_kernel<<<blocks_for(size), threads_of_block, 0,
                           at::cuda::getCurrentCUDAStream()>>>(x.const_data_ptr<float>(),
                                                               y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void polynomial_kernel(const float* x, const float* factors, int count, float* y,
                                  int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0;
  for (int k = count - 1; k >= 0; --k)
    sum = sum * x[i] + factors[k];  // finds: host-pointer
  y[i] = sum;
}

Tensor polynomial(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  // The kernel gets an address of the host's memory. Copy the factors to the device first.
  const std::vector<float> factors{1, 0.5, 0.25};
  polynomial_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), factors.data(), static_cast<int>(factors.size()),
      y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void subtract_kernel(const float* x, float first, float* y, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = x[i] - first;
}

Tensor relative_to_first(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  // The host reads memory of the device. Read it in the kernel, or by x.flatten()[0].item<float>().
  const float first = x.const_data_ptr<float>()[0];  // finds: device-pointer-on-host
  subtract_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), first, y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

TORCH_LIBRARY_IMPL(broken_kernels, CUDA, m) {
  m.impl("differences", &differences);
  m.impl("moving_sum", &moving_sum);
  m.impl("sum_of_rows", &sum_of_rows);
  m.impl("divide_by_mean", &divide_by_mean);
  m.impl("prefix_of_pairs", &prefix_of_pairs);
  m.impl("polynomial", &polynomial);
  m.impl("relative_to_first", &relative_to_first);
}

}  // namespace
