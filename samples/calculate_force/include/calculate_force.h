#pragma once

// Forces on atoms from the derivatives of a learned energy.
//
// A model gives each atom i an energy that depends on features d of its neighbours; feature c of
// neighbour slot j depends on the vector r from atom i to that neighbour. With dE = ∂E/∂d and
// Ri_d = ∂d/∂r, moving neighbour n changes the energy by g = Σ_c dE[c] Ri_d[c], so that n feels -g
// and, since only the difference of positions counts, atom i feels +g:
//
//   out[b, i] = F[b, i] + Σ_j g(b, i, j) - Σ over all (k, j) whose neighbour is i of g(b, k, j)
//
// Shapes, with B images, N atoms, T types of neighbour, M slots for each type, C features:
//   list_neigh [B, N, T, M]      int32 or int64: number of the atom in that slot, from 1; 0 = none
//   dE         [B, N, T*M, C]    float32 or float64
//   Ri_d       [B, N, T*M, C, 3] as dE
//   F          [B, N, 3]         as dE: forces from elsewhere, added to
// The result has the shape of F. Forces from pairs add up to zero over the atoms of an image.

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

namespace calc_ops {

/// The operator CalcOps::calculateForce on the CPU.
at::Tensor calculate_force_cpu(const at::Tensor& list_neigh, const at::Tensor& dE,
                               const at::Tensor& Ri_d, const at::Tensor& F);

/// The operator CalcOps::calculateForceGrad on the CPU: gradients of dE and Ri_d, of their shapes,
/// from the gradient of the result, [B, N, 3].
std::tuple<at::Tensor, at::Tensor> calculate_force_grad_cpu(const at::Tensor& grad_output,
                                                            const at::Tensor& list_neigh,
                                                            const at::Tensor& dE,
                                                            const at::Tensor& Ri_d);

/// Makes calculateForce differentiable in dE, Ri_d and F, whatever device the kernels are for.
class CalculateForce : public torch::autograd::Function<CalculateForce> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& list_neigh,
                            const at::Tensor& dE, const at::Tensor& Ri_d, const at::Tensor& F);
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grad_output);
};

}  // namespace calc_ops
