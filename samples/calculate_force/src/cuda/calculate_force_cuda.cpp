#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <tuple>

#include "current_stream.h"
#include "force_arguments.h"
#include "force_kernel_cuda.h"

namespace {

void check_launch(const char* error) {
  TORCH_CHECK(error == nullptr, "calculateForce: the kernel was not launched: ", error);
}

at::Tensor calculate_force_cuda(const at::Tensor& list_neigh, const at::Tensor& dE,
                                const at::Tensor& Ri_d, const at::Tensor& F) {
  const calc_ops::force_sizes sizes = calc_ops::check_arguments(list_neigh, dE, Ri_d);
  calc_ops::check_forces("F", F, dE, sizes);
  const c10::DeviceGuard guard(dE.device());
  const at::Tensor neighbours = list_neigh.contiguous();
  const at::Tensor derivatives = dE.contiguous();
  const at::Tensor features = Ri_d.contiguous();
  at::Tensor force = F.clone(at::MemoryFormat::Contiguous);
  CUstream_st* const stream = calc_ops::current_stream(dE.device());
  AT_DISPATCH_FLOATING_TYPES(dE.scalar_type(), "calculate_force_cuda", [&] {
    AT_DISPATCH_INDEX_TYPES(list_neigh.scalar_type(), "calculate_force_cuda", [&] {
      check_launch(calc_ops::launch_add_forces(
          neighbours.const_data_ptr<index_t>(), derivatives.const_data_ptr<scalar_t>(),
          features.const_data_ptr<scalar_t>(), force.mutable_data_ptr<scalar_t>(), sizes, stream));
    });
  });
  return force;
}

std::tuple<at::Tensor, at::Tensor> calculate_force_grad_cuda(const at::Tensor& grad_output,
                                                             const at::Tensor& list_neigh,
                                                             const at::Tensor& dE,
                                                             const at::Tensor& Ri_d) {
  const calc_ops::force_sizes sizes = calc_ops::check_arguments(list_neigh, dE, Ri_d);
  calc_ops::check_forces("grad_output", grad_output, dE, sizes);
  const c10::DeviceGuard guard(dE.device());
  const at::Tensor incoming = grad_output.contiguous();
  const at::Tensor neighbours = list_neigh.contiguous();
  const at::Tensor derivatives = dE.contiguous();
  const at::Tensor features = Ri_d.contiguous();
  at::Tensor grad_dE = at::empty_like(derivatives);
  at::Tensor grad_Ri_d = at::empty_like(features);
  CUstream_st* const stream = calc_ops::current_stream(dE.device());
  AT_DISPATCH_FLOATING_TYPES(dE.scalar_type(), "calculate_force_grad_cuda", [&] {
    AT_DISPATCH_INDEX_TYPES(list_neigh.scalar_type(), "calculate_force_grad_cuda", [&] {
      check_launch(calc_ops::launch_force_gradients(
          incoming.const_data_ptr<scalar_t>(), neighbours.const_data_ptr<index_t>(),
          derivatives.const_data_ptr<scalar_t>(), features.const_data_ptr<scalar_t>(),
          grad_dE.mutable_data_ptr<scalar_t>(), grad_Ri_d.mutable_data_ptr<scalar_t>(), sizes,
          stream));
    });
  });
  return {grad_dE, grad_Ri_d};
}

TORCH_LIBRARY_IMPL(CalcOps, CUDA, m) {
  m.impl("calculateForce", &calculate_force_cuda);
  m.impl("calculateForceGrad", &calculate_force_grad_cuda);
}

}  // namespace
