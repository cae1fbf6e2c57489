// Two kernels with a mistake each, and one without.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

namespace {

constexpr int row_length = 64;

__global__ void twice(const float* x, float* y, int64_t n) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

// No barrier comes between the writes of `row` and the reads of what other threads wrote.
__global__ void reverse_row(const float* x, float* y) {
  __shared__ float row[row_length];
  row[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = row[row_length - 1 - threadIdx.x];
}

// The last thread writes one element past the end.
__global__ void shift(const float* x, float* y, int64_t n) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i <= n) y[i] = 1;
}

at::Tensor floats(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "x must be float32");
  return x.contiguous();
}

at::Tensor doubled(const at::Tensor& x) {
  const c10::cuda::CUDAGuard guard(x.device());
  const auto values = floats(x);
  auto y = at::empty_like(values);
  twice<<<(x.numel() + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      values.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

at::Tensor reversed(const at::Tensor& x) {
  const c10::cuda::CUDAGuard guard(x.device());
  TORCH_CHECK(x.numel() == row_length, "x must have ", row_length, " elements");
  const auto values = floats(x);
  auto y = at::empty_like(values);
  reverse_row<<<1, row_length, 0, at::cuda::getCurrentCUDAStream()>>>(
      values.const_data_ptr<float>(), y.mutable_data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

at::Tensor shifted(const at::Tensor& x) {
  const c10::cuda::CUDAGuard guard(x.device());
  const auto values = floats(x);
  auto y = at::empty_like(values);
  shift<<<(x.numel() + 64) / 64, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
      values.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

}  // namespace

TORCH_LIBRARY(racy_kernels, m) {
  m.def("doubled(Tensor x) -> Tensor");
  m.def("reversed(Tensor x) -> Tensor");
  m.def("shifted(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(racy_kernels, CUDA, m) {
  m.impl("doubled", &doubled);
  m.impl("reversed", &reversed);
  m.impl("shifted", &shifted);
}
