#include <ATen/ATen.h>
#include <torch/library.h>

#include "calculate_force.h"

namespace {

at::Tensor calculate_force_autograd(const at::Tensor& list_neigh, const at::Tensor& dE,
                                    const at::Tensor& Ri_d, const at::Tensor& F) {
  return calc_ops::CalculateForce::apply(list_neigh, dE, Ri_d, F);
}

// Shapes and dtypes without values: what torch.compile and torch.export ask for.
at::Tensor calculate_force_meta(const at::Tensor& /*list_neigh*/, const at::Tensor& /*dE*/,
                                const at::Tensor& /*Ri_d*/, const at::Tensor& F) {
  return at::empty_like(F, at::MemoryFormat::Contiguous);
}

std::tuple<at::Tensor, at::Tensor> calculate_force_grad_meta(const at::Tensor& /*grad_output*/,
                                                             const at::Tensor& /*list_neigh*/,
                                                             const at::Tensor& dE,
                                                             const at::Tensor& Ri_d) {
  return {at::empty_like(dE, at::MemoryFormat::Contiguous),
          at::empty_like(Ri_d, at::MemoryFormat::Contiguous)};
}

TORCH_LIBRARY(CalcOps, m) {
  m.def("calculateForce(Tensor list_neigh, Tensor dE, Tensor Ri_d, Tensor F) -> Tensor");
  m.def(
      "calculateForceGrad(Tensor grad_output, Tensor list_neigh, Tensor dE, Tensor Ri_d) -> "
      "(Tensor grad_dE, Tensor grad_Ri_d)");
}

TORCH_LIBRARY_IMPL(CalcOps, CPU, m) {
  m.impl("calculateForce", &calc_ops::calculate_force_cpu);
  m.impl("calculateForceGrad", &calc_ops::calculate_force_grad_cpu);
}

TORCH_LIBRARY_IMPL(CalcOps, Meta, m) {
  m.impl("calculateForce", &calculate_force_meta);
  m.impl("calculateForceGrad", &calculate_force_grad_meta);
}

TORCH_LIBRARY_IMPL(CalcOps, Autograd, m) {
  m.impl("calculateForce", &calculate_force_autograd);
}

}  // namespace
