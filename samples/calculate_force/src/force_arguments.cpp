#include "force_arguments.h"

namespace calc_ops {

force_sizes check_arguments(const at::Tensor& list_neigh, const at::Tensor& dE,
                            const at::Tensor& Ri_d) {
  TORCH_CHECK(list_neigh.dim() == 4, "calculateForce: list_neigh must be [B, N, T, M], got ",
              list_neigh.sizes());
  const force_sizes sizes{list_neigh.size(0), list_neigh.size(1),
                          list_neigh.size(2) * list_neigh.size(3), dE.dim() == 4 ? dE.size(3) : 0};
  TORCH_CHECK(dE.dim() == 4 && dE.size(0) == sizes.images && dE.size(1) == sizes.atoms &&
                  dE.size(2) == sizes.slots,
              "calculateForce: dE must be [", sizes.images, ", ", sizes.atoms, ", ", sizes.slots,
              ", C], got ", dE.sizes());
  TORCH_CHECK(
      Ri_d.sizes() == at::IntArrayRef({sizes.images, sizes.atoms, sizes.slots, sizes.features, 3}),
      "calculateForce: Ri_d must be [", sizes.images, ", ", sizes.atoms, ", ", sizes.slots, ", ",
      sizes.features, ", 3], got ", Ri_d.sizes());
  TORCH_CHECK(Ri_d.scalar_type() == dE.scalar_type(), "calculateForce: dE is ", dE.scalar_type(),
              " but Ri_d is ", Ri_d.scalar_type());
  TORCH_CHECK(list_neigh.device() == dE.device() && Ri_d.device() == dE.device(),
              "calculateForce: all inputs must be on one device, but list_neigh is on ",
              list_neigh.device(), ", dE on ", dE.device(), " and Ri_d on ", Ri_d.device());
  return sizes;
}

void check_forces(const char* name, const at::Tensor& force, const at::Tensor& dE,
                  const force_sizes& sizes) {
  TORCH_CHECK(force.sizes() == at::IntArrayRef({sizes.images, sizes.atoms, 3}),
              "calculateForce: ", name, " must be [", sizes.images, ", ", sizes.atoms, ", 3], got ",
              force.sizes());
  TORCH_CHECK(force.scalar_type() == dE.scalar_type(), "calculateForce: dE is ", dE.scalar_type(),
              " but ", name, " is ", force.scalar_type());
  TORCH_CHECK(force.device() == dE.device(), "calculateForce: dE is on ", dE.device(), " but ",
              name, " on ", force.device());
}

}  // namespace calc_ops
