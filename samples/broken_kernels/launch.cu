// Defects of launches: their size, their errors, their device, their stream and their indices.

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "arguments.h"

namespace {

using at::Tensor;

__global__ void transpose_kernel(const float* x, float* y, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) y[column * rows + row] = x[row * columns + column];
}

Tensor transpose(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  TORCH_CHECK(x.dim() == 2, "x must be a matrix");
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty({x.size(1), x.size(0)}, x.options());
  const int rows = static_cast<int>(x.size(0));
  const int columns = static_cast<int>(x.size(1));
  // 64 x 32 threads: a block has at most 1024. Use 32 x 32.
  const dim3 threads(64, 32);
  const dim3 blocks((columns + 63) / 64, (rows + 31) / 32);
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const auto* from = x.const_data_ptr<float>();
  auto* to = y.mutable_data_ptr<float>();
  transpose_kernel<<<blocks, threads, 0, stream>>>(from, to, rows, columns);  // finds: bad-launch
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

/// Sorts the elements of each block by counting how many are less.
__global__ void sorted_blocks_kernel(const float* x, float* y, int size) {
  extern __shared__ float values[];
  const int begin = blockIdx.x * blockDim.x;
  const int i = begin + threadIdx.x;
  if (i < size) values[threadIdx.x] = x[i];
  __syncthreads();
  if (i >= size) return;
  int less = 0;
  for (int k = 0; k < blockDim.x && begin + k < size; ++k)
    less += values[k] < x[i] || (values[k] == x[i] && k < threadIdx.x);
  y[begin + less] = x[i];
}

Tensor sorted_blocks(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  // No block has a megabyte of shared memory: this fails, and nobody looks. Use C10_CUDA_CHECK.
  constexpr int shared = 1 << 20;
  const auto wanted = cudaFuncAttributeMaxDynamicSharedMemorySize;
  cudaFuncSetAttribute(sorted_blocks_kernel, wanted, shared);  // finds: missing-error-check
  sorted_blocks_kernel<<<blocks_for(size), threads_of_block, threads_of_block * sizeof(float),
                         at::cuda::getCurrentCUDAStream()>>>(x.const_data_ptr<float>(),
                                                             y.mutable_data_ptr<float>(), size);
  return y;
}

__global__ void twice_kernel(const float* x, float* y, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = 2 * x[i];  // finds: missing-device-guard
}

Tensor twice(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  // The current device need not be x's: c10::cuda::CUDAGuard is missing.
  twice_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void double_kernel(const float* x, float* y, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = 2 * x[i];
}

__global__ void plus_one_kernel(float* y, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] += 1;
}

Tensor twice_and_one(const Tensor& tensor) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  // Two streams, and no event between them: the second kernel may run before the first.
  const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool();
  double_kernel<<<blocks_for(size), threads_of_block, 0, side>>>(x.const_data_ptr<float>(),
                                                                 y.mutable_data_ptr<float>(), size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  const cudaStream_t current = at::cuda::getCurrentCUDAStream();
  auto* const data = y.mutable_data_ptr<float>();
  const unsigned blocks = blocks_for(size);
  plus_one_kernel<<<blocks, threads_of_block, 0, current>>>(data, size);  // finds: wrong-stream
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void noise_kernel(const float* x, float* y, int size, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  // Too large for int from the third element on, with a stride of 2³⁰. Compute in int64_t.
  const int seed = i * stride;  // finds: index-overflow
  y[i] = x[i] + 1e-3f * static_cast<float>(seed % 7);
}

Tensor noise(const Tensor& tensor, int64_t stride) {
  const Tensor x = checked(tensor);
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = at::empty_like(x);
  const int size = static_cast<int>(x.numel());
  noise_kernel<<<blocks_for(size), threads_of_block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), size, static_cast<int>(stride));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

TORCH_LIBRARY_IMPL(broken_kernels, CUDA, m) {
  m.impl("transpose", &transpose);
  m.impl("sorted_blocks", &sorted_blocks);
  m.impl("twice", &twice);
  m.impl("twice_and_one", &twice_and_one);
  m.impl("noise", &noise);
}

}  // namespace
