// An operator as people write them for a GPU: nothing in it knows of the virtual one.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

#include "half_step.cuh"

namespace {

template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* x, scalar_t* y, double factor, int64_t count) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    y[i] = static_cast<scalar_t>(x[i] * factor);
}

at::Tensor scale_cuda(const at::Tensor& x, double factor) {
  const c10::cuda::CUDAGuard guard(x.device());
  const at::Tensor source = x.contiguous();
  at::Tensor result = at::empty_like(source);
  const int64_t count = source.numel();
  if (count == 0) return result;
  const auto blocks = static_cast<unsigned>((count + 255) / 256);
  AT_DISPATCH_FLOATING_TYPES(source.scalar_type(), "scale", [&] {
    scale_kernel<scalar_t><<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        source.const_data_ptr<scalar_t>(), result.mutable_data_ptr<scalar_t>(), factor, count);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

// Adds each element to its mirror image in shared memory; `ordered` says whether with a barrier.
__global__ void mirror_kernel(const float* x, float* y, bool ordered) {
  __shared__ float row[64];
  row[threadIdx.x] = x[threadIdx.x];
  if (ordered) __syncthreads();
  y[threadIdx.x] = half_step(x[threadIdx.x]) + row[63 - threadIdx.x];
}

at::Tensor mirror_cuda(const at::Tensor& x, bool ordered) {
  TORCH_CHECK(x.numel() == 64 && x.scalar_type() == at::kFloat && x.is_contiguous());
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor result = at::empty_like(x);
  mirror_kernel<<<1, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), result.mutable_data_ptr<float>(), ordered);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

__global__ void past_end_kernel(float* x, int count) {
  x[count] = 1;
}

at::Tensor past_end_cuda(const at::Tensor& x) {
  at::Tensor result = x.clone();
  past_end_kernel<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(result.mutable_data_ptr<float>(),
                                                                 int(result.numel()));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

// For each key, one of its places: whichever comes first.
__global__ void claim_kernel(const int64_t* keys, int* owners, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicCAS(&owners[keys[i]], -1, i);
}

at::Tensor claim_cuda(const at::Tensor& keys) {
  at::Tensor owners = at::full({8}, -1, keys.options().dtype(at::kInt));
  const int count = static_cast<int>(keys.numel());
  claim_kernel<<<(count + 31) / 32, 32, 0, at::cuda::getCurrentCUDAStream()>>>(
      keys.const_data_ptr<int64_t>(), owners.mutable_data_ptr<int>(), count);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return owners;
}

// As tutorials write it: packed accessors, on the default stream.
template <typename scalar_t>
__global__ void double_rows_kernel(
    const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
    torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> y) {
  const int row = blockIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < x.size(1)) y[row][column] = 2 * x[row][column];
}

at::Tensor double_rows_cuda(const at::Tensor& x) {
  at::Tensor result = torch::empty_like(x);
  const dim3 blocks((x.size(1) + 63) / 64, x.size(0));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "double_rows", ([&] {
    double_rows_kernel<scalar_t><<<blocks, 64>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
        result.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

// CUDA's type and libtorch's, to and fro.
__global__ void half_square_kernel(const at::Half* x, at::Half* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const __half value = static_cast<__half>(x[i]);
  y[i] = __hmul(value, reinterpret_cast<const __half*>(x)[i]);
}

at::Tensor half_square_cuda(const at::Tensor& x) {
  at::Tensor result = at::empty_like(x);
  const int count = static_cast<int>(x.numel());
  half_square_kernel<<<(count + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<at::Half>(), result.mutable_data_ptr<at::Half>(), count);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

class Scale : public torch::autograd::Function<Scale> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            double factor) {
    context->saved_data["factor"] = factor;
    const at::AutoDispatchBelowADInplaceOrView below;
    return scale_cuda(x, factor);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {scale_cuda(gradients[0], context->saved_data["factor"].toDouble()), at::Tensor()};
  }
};

}  // namespace

TORCH_LIBRARY(gpu_project, m) {
  m.def("scale(Tensor x, float factor) -> Tensor");
  m.def("mirror(Tensor x, bool ordered) -> Tensor");
  m.def("past_end(Tensor x) -> Tensor");
  m.def("claim(Tensor keys) -> Tensor");
  m.def("double_rows(Tensor x) -> Tensor");
  m.def("half_square(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(gpu_project, CUDA, m) {
  m.impl("scale", &scale_cuda);
  m.impl("mirror", &mirror_cuda);
  m.impl("past_end", &past_end_cuda);
  m.impl("claim", &claim_cuda);
  m.impl("double_rows", &double_rows_cuda);
  m.impl("half_square", &half_square_cuda);
}

TORCH_LIBRARY_IMPL(gpu_project, AutogradCUDA, m) {
  m.impl("scale", [](const at::Tensor& x, double factor) { return Scale::apply(x, factor); });
}
