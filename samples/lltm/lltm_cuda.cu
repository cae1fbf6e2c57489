// The CUDA kernels of the LLTM cell: a thread for each number of the state.

#include <ATen/ceil_div.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <tuple>

#include "lltm_arguments.h"
#include "lltm_cell.h"

namespace {

using at::Tensor;
using namespace lltm_sample;

constexpr int threads_of_block = 256;

/// The three gates of one number lie `states` apart: neighbouring threads read neighbouring memory
/// each time.
template <typename scalar, typename real>
__global__ void forward_kernel(const scalar* __restrict__ gates,
                               const scalar* __restrict__ old_cell, scalar* __restrict__ new_h,
                               scalar* __restrict__ new_cell, scalar* __restrict__ activated,
                               int64_t size, int64_t states) {
  const int64_t step = int64_t(gridDim.x) * threads_of_block;
  for (int64_t i = int64_t(blockIdx.x) * threads_of_block + threadIdx.x; i < size; i += step) {
    const int64_t at = i / states * 3 * states + i % states;
    const Activated<real> now =
        activate(static_cast<real>(gates[at]), static_cast<real>(gates[at + states]),
                 static_cast<real>(gates[at + 2 * states]));
    const State<real> next = next_state(now, static_cast<real>(old_cell[i]));
    new_h[i] = static_cast<scalar>(next.h);
    new_cell[i] = static_cast<scalar>(next.cell);
    activated[at] = static_cast<scalar>(now.input);
    activated[at + states] = static_cast<scalar>(now.output);
    activated[at + 2 * states] = static_cast<scalar>(now.candidate);
  }
}

template <typename scalar, typename real>
__global__ void backward_kernel(const scalar* __restrict__ grad_h,
                                const scalar* __restrict__ grad_cell,
                                const scalar* __restrict__ new_cell,
                                const scalar* __restrict__ activated,
                                scalar* __restrict__ grad_gates, scalar* __restrict__ grad_old_cell,
                                int64_t size, int64_t states) {
  const int64_t step = int64_t(gridDim.x) * threads_of_block;
  for (int64_t i = int64_t(blockIdx.x) * threads_of_block + threadIdx.x; i < size; i += step) {
    const int64_t at = i / states * 3 * states + i % states;
    const State<real> grad{static_cast<real>(grad_h[i]), static_cast<real>(grad_cell[i])};
    const Activated<real> gates{static_cast<real>(activated[at]),
                                static_cast<real>(activated[at + states]),
                                static_cast<real>(activated[at + 2 * states])};
    const Gradients<real> found = gradients_of(grad, gates, static_cast<real>(new_cell[i]));
    grad_gates[at] = static_cast<scalar>(found.gates.input);
    grad_gates[at + states] = static_cast<scalar>(found.gates.output);
    grad_gates[at + 2 * states] = static_cast<scalar>(found.gates.candidate);
    grad_old_cell[i] = static_cast<scalar>(found.old_cell);
  }
}

/// If there are more numbers, a thread computes several.
unsigned blocks_for(int64_t size) {
  constexpr int64_t most = 1 << 16;
  return static_cast<unsigned>(std::min(most, at::ceil_div<int64_t>(size, threads_of_block)));
}

std::tuple<Tensor, Tensor, Tensor> forward_cuda(const Tensor& gates, const Tensor& old_cell) {
  check_inputs(gates, old_cell);
  const c10::cuda::CUDAGuard guard(gates.device());
  const Tensor before = gates.contiguous();
  const Tensor old = old_cell.contiguous();
  Tensor new_h = at::empty_like(old);
  Tensor new_cell = at::empty_like(old);
  Tensor activated = at::empty_like(before);
  const int64_t size = old.numel();
  if (size == 0) return {new_h, new_cell, activated};  // a launch without blocks is an error
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, before.scalar_type(), "lltm_forward_cuda", [&] {
        forward_kernel<scalar_t, at::opmath_type<scalar_t>>
            <<<blocks_for(size), threads_of_block, 0, stream>>>(
                before.const_data_ptr<scalar_t>(), old.const_data_ptr<scalar_t>(),
                new_h.mutable_data_ptr<scalar_t>(), new_cell.mutable_data_ptr<scalar_t>(),
                activated.mutable_data_ptr<scalar_t>(), size, old.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return {new_h, new_cell, activated};
}

std::tuple<Tensor, Tensor> backward_cuda(const Tensor& grad_h, const Tensor& grad_cell,
                                         const Tensor& new_cell, const Tensor& activated) {
  check_backward_inputs(grad_h, grad_cell, new_cell, activated);
  const c10::cuda::CUDAGuard guard(new_cell.device());
  const Tensor of_h = grad_h.contiguous();
  const Tensor of_cell = grad_cell.contiguous();
  const Tensor cell = new_cell.contiguous();
  const Tensor gates = activated.contiguous();
  Tensor grad_gates = at::empty_like(gates);
  Tensor grad_old_cell = at::empty_like(cell);
  const int64_t size = cell.numel();
  if (size == 0) return {grad_gates, grad_old_cell};
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, gates.scalar_type(), "lltm_backward_cuda", [&] {
        backward_kernel<scalar_t, at::opmath_type<scalar_t>>
            <<<blocks_for(size), threads_of_block, 0, stream>>>(
                of_h.const_data_ptr<scalar_t>(), of_cell.const_data_ptr<scalar_t>(),
                cell.const_data_ptr<scalar_t>(), gates.const_data_ptr<scalar_t>(),
                grad_gates.mutable_data_ptr<scalar_t>(), grad_old_cell.mutable_data_ptr<scalar_t>(),
                size, cell.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return {grad_gates, grad_old_cell};
}

TORCH_LIBRARY_IMPL(lltm, CUDA, m) {
  m.impl("forward", &forward_cuda);
  m.impl("backward", &backward_cuda);
}

}  // namespace
