#include "calculate_force.h"

#include <torch/library.h>

namespace calc_ops {

at::Tensor CalculateForce::forward(torch::autograd::AutogradContext* ctx,
                                   const at::Tensor& list_neigh, const at::Tensor& dE,
                                   const at::Tensor& Ri_d, const at::Tensor& F) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("CalcOps::calculateForce", "")
                             .typed<decltype(calculate_force_cpu)>();
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  ctx->save_for_backward({list_neigh, dE, Ri_d});
  return op.call(list_neigh, dE, Ri_d, F);
}

torch::autograd::variable_list CalculateForce::backward(
    torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grad_output) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("CalcOps::calculateForceGrad", "")
                             .typed<decltype(calculate_force_grad_cpu)>();
  const auto saved = ctx->get_saved_variables();
  auto [grad_dE, grad_Ri_d] = op.call(grad_output[0], saved[0], saved[1], saved[2]);
  // An undefined tensor stands for "no gradient"; F is added as it is, so its gradient is the
  // result's.
  return {at::Tensor(), grad_dE, grad_Ri_d, grad_output[0]};
}

}  // namespace calc_ops
