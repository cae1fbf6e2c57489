#include "force_kernel.h"

namespace calc_ops {

template <typename scalar, typename index>
void add_forces(const index* list_neigh, const scalar* dE, const scalar* Ri_d, scalar* force,
                const force_sizes& sizes) {
  for (int64_t atom = 0; atom < sizes.atoms; ++atom) {
    for (int64_t slot = 0; slot < sizes.slots; ++slot) {
      const int64_t pair = atom * sizes.slots + slot;
      const auto neighbour = static_cast<int64_t>(list_neigh[pair]) - 1;
      if (neighbour < 0) continue;
      scalar pull[3] = {0, 0, 0};
      for (int64_t c = 0; c < sizes.features; ++c) {
        const int64_t at = pair * sizes.features + c;
        for (int axis = 0; axis < 3; ++axis)
          pull[axis] += dE[at] * Ri_d[at * 3 + axis];
      }
      for (int axis = 0; axis < 3; ++axis) {
        force[atom * 3 + axis] += pull[axis];
        force[neighbour * 3 + axis] -= pull[axis];
      }
    }
  }
}

template <typename scalar, typename index>
void force_gradients(const scalar* grad_force, const index* list_neigh, const scalar* dE,
                     const scalar* Ri_d, scalar* grad_dE, scalar* grad_Ri_d,
                     const force_sizes& sizes) {
  for (int64_t atom = 0; atom < sizes.atoms; ++atom) {
    for (int64_t slot = 0; slot < sizes.slots; ++slot) {
      const int64_t pair = atom * sizes.slots + slot;
      const auto neighbour = static_cast<int64_t>(list_neigh[pair]) - 1;
      scalar difference[3] = {0, 0, 0};  // an empty slot has no share in any force
      if (neighbour >= 0) {
        for (int axis = 0; axis < 3; ++axis) {
          difference[axis] = grad_force[atom * 3 + axis] - grad_force[neighbour * 3 + axis];
        }
      }
      for (int64_t c = 0; c < sizes.features; ++c) {
        const int64_t at = pair * sizes.features + c;
        scalar sum = 0;
        for (int axis = 0; axis < 3; ++axis) {
          sum += Ri_d[at * 3 + axis] * difference[axis];
          grad_Ri_d[at * 3 + axis] = dE[at] * difference[axis];
        }
        grad_dE[at] = sum;
      }
    }
  }
}

#define CALC_OPS_INSTANTIATE(scalar, index)                                                \
  template void add_forces(const index*, const scalar*, const scalar*, scalar*,            \
                           const force_sizes&);                                            \
  template void force_gradients(const scalar*, const index*, const scalar*, const scalar*, \
                                scalar*, scalar*, const force_sizes&);
CALC_OPS_INSTANTIATE(float, int32_t)
CALC_OPS_INSTANTIATE(float, int64_t)
CALC_OPS_INSTANTIATE(double, int32_t)
CALC_OPS_INSTANTIATE(double, int64_t)
#undef CALC_OPS_INSTANTIATE

}  // namespace calc_ops
