#pragma once

// Read by the compile server for device code, after warm.h and CUDA's headers, and by nothing else:
// what most operators ask of libtorch's CUDA headers. None of these names anything outside of
// libtorch's namespaces: a source that does not include them may use any name of its own.

#include <ATen/cuda/CUDAContext.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAGuard.h>

namespace opsmith::warm {

/// What becomes of the parameters of a kernel, whatever its name.
template <typename... Parameters>
void pass(Parameters... parameters) {
  const gpu::Closure<void (*)(Parameters...), Parameters...> closure{nullptr, {{parameters}...}};
  gpu::run_threads<gpu::Closure<void (*)(Parameters...), Parameters...>>(&closure);
}

/// The parameters that kernels have: tensors, a size, a number.
template <typename Element>
void pass_elements(const Element* x, Element* y) {
  pass(x, y, 1);
  pass(x, y, int64_t{1});
  pass(x, y, 1, 1);
  pass(x, y, int64_t{1}, int64_t{1});
  pass(x, y, 1.0, int64_t{1});
  pass(x, y, 1.0F, 1);
  pass(x, x, y, 1);
  pass(x, x, y, int64_t{1});
  pass(x, x, y, 1, 1, 1);
  pass(x, x, x, y, 1);
}

inline T operator_on_device(const T& x) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
  TORCH_CHECK(x.is_contiguous(), "x must be contiguous");
  TORCH_CHECK(x.numel() == 1 && x.scalar_type() == at::kFloat);
  const c10::cuda::CUDAGuard guard(x.device());
  const at::cuda::OptionalCUDAGuard optional_guard(at::device_of(x));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const T source = x.contiguous();
  T result = at::empty_like(source);
  T other = torch::empty_like(source);
  other = torch::zeros_like(x);
  other = torch::zeros({x.size(0)}, x.options());
  other = torch::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(source.scalar_type(), "warm", [&] {
    pass_elements(source.data_ptr<scalar_t>(), result.data_ptr<scalar_t>());
    pass_elements(source.const_data_ptr<scalar_t>(), result.mutable_data_ptr<scalar_t>());
    pass(x.packed_accessor32<scalar_t, 1, at::RestrictPtrTraits>());
    pass(x.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>());
  });
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  AT_CUDA_CHECK(cudaGetLastError());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace opsmith::warm
