#pragma once

// The loops of calculate_force on plain memory; shapes as in calculate_force.h, all contiguous.

#include <cstdint>

namespace calc_ops {

/// Sizes of one call: T*M slots are one dimension here.
struct force_sizes {
  int64_t images;
  int64_t atoms;
  int64_t slots;
  int64_t features;
};

/// Adds the forces of one image to `force` [atoms, 3].
template <typename scalar, typename index>
void add_forces(const index* list_neigh, const scalar* dE, const scalar* Ri_d, scalar* force,
                const force_sizes& sizes);

/// Gradients for one image: grad_dE [atoms, slots, features] and grad_Ri_d [..., 3] are written.
template <typename scalar, typename index>
void force_gradients(const scalar* grad_force, const index* list_neigh, const scalar* dE,
                     const scalar* Ri_d, scalar* grad_dE, scalar* grad_Ri_d,
                     const force_sizes& sizes);

}  // namespace calc_ops
