#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include "calculate_force.h"
#include "force_arguments.h"

namespace calc_ops {

namespace {

// The kernels index by these numbers: a wrong one would write outside the forces.
void check_neighbours(const at::Tensor& list_neigh, const force_sizes& sizes) {
  if (list_neigh.numel() == 0) return;
  const auto [low, high] = list_neigh.aminmax();
  TORCH_CHECK(low.item<int64_t>() >= 0 && high.item<int64_t>() <= sizes.atoms,
              "calculateForce: list_neigh must hold 0 or an atom's number from 1 to ", sizes.atoms,
              ", but ranges from ", low.item<int64_t>(), " to ", high.item<int64_t>());
}

}  // namespace

at::Tensor calculate_force_cpu(const at::Tensor& list_neigh, const at::Tensor& dE,
                               const at::Tensor& Ri_d, const at::Tensor& F) {
  const force_sizes sizes = check_arguments(list_neigh, dE, Ri_d);
  check_forces("F", F, dE, sizes);
  check_neighbours(list_neigh, sizes);
  const at::Tensor neighbours = list_neigh.contiguous();
  const at::Tensor derivatives = dE.contiguous();
  const at::Tensor features = Ri_d.contiguous();
  at::Tensor force = F.clone(at::MemoryFormat::Contiguous);
  const int64_t pairs = sizes.atoms * sizes.slots;
  AT_DISPATCH_FLOATING_TYPES(dE.scalar_type(), "calculate_force_cpu", [&] {
    AT_DISPATCH_INDEX_TYPES(list_neigh.scalar_type(), "calculate_force_cpu", [&] {
      const auto* list_data = neighbours.const_data_ptr<index_t>();
      const auto* dE_data = derivatives.const_data_ptr<scalar_t>();
      const auto* Ri_d_data = features.const_data_ptr<scalar_t>();
      auto* force_data = force.mutable_data_ptr<scalar_t>();
      // Atoms of one image push each other, so an image is the smallest piece of work.
      at::parallel_for(0, sizes.images, 1, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          add_forces(list_data + b * pairs, dE_data + b * pairs * sizes.features,
                     Ri_d_data + b * pairs * sizes.features * 3, force_data + b * sizes.atoms * 3,
                     sizes);
        }
      });
    });
  });
  return force;
}

std::tuple<at::Tensor, at::Tensor> calculate_force_grad_cpu(const at::Tensor& grad_output,
                                                            const at::Tensor& list_neigh,
                                                            const at::Tensor& dE,
                                                            const at::Tensor& Ri_d) {
  const force_sizes sizes = check_arguments(list_neigh, dE, Ri_d);
  check_forces("grad_output", grad_output, dE, sizes);
  check_neighbours(list_neigh, sizes);
  const at::Tensor incoming = grad_output.contiguous();
  const at::Tensor neighbours = list_neigh.contiguous();
  const at::Tensor derivatives = dE.contiguous();
  const at::Tensor features = Ri_d.contiguous();
  at::Tensor grad_dE = at::empty_like(derivatives);
  at::Tensor grad_Ri_d = at::empty_like(features);
  const int64_t pairs = sizes.atoms * sizes.slots;
  AT_DISPATCH_FLOATING_TYPES(dE.scalar_type(), "calculate_force_grad_cpu", [&] {
    AT_DISPATCH_INDEX_TYPES(list_neigh.scalar_type(), "calculate_force_grad_cpu", [&] {
      const auto* grad_data = incoming.const_data_ptr<scalar_t>();
      const auto* list_data = neighbours.const_data_ptr<index_t>();
      const auto* dE_data = derivatives.const_data_ptr<scalar_t>();
      const auto* Ri_d_data = features.const_data_ptr<scalar_t>();
      auto* grad_dE_data = grad_dE.mutable_data_ptr<scalar_t>();
      auto* grad_Ri_d_data = grad_Ri_d.mutable_data_ptr<scalar_t>();
      at::parallel_for(0, sizes.images, 1, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          const int64_t at = b * pairs * sizes.features;
          force_gradients(grad_data + b * sizes.atoms * 3, list_data + b * pairs, dE_data + at,
                          Ri_d_data + at * 3, grad_dE_data + at, grad_Ri_d_data + at * 3, sizes);
        }
      });
    });
  });
  return {grad_dE, grad_Ri_d};
}

}  // namespace calc_ops
