#pragma once

#include <ATen/core/Tensor.h>

#include "force_kernel.h"

namespace calc_ops {

/// Throws unless shapes and dtypes are as in calculate_force.h and all lie on one device.
force_sizes check_arguments(const at::Tensor& list_neigh, const at::Tensor& dE,
                            const at::Tensor& Ri_d);

/// Throws unless `force`, called `name` in messages, is [B, N, 3] of dE's dtype, on its device.
void check_forces(const char* name, const at::Tensor& force, const at::Tensor& dE,
                  const force_sizes& sizes);

}  // namespace calc_ops
