#pragma once

// Launchers of the CUDA kernels, on plain device memory; shapes as in calculate_force.h, all
// contiguous. Neither CUDA's headers nor PyTorch's are needed here: nvcc compiles the kernels and
// no more, and the C++ compiler the rest.

#include "force_kernel.h"

/// What a cudaStream_t points to.
struct CUstream_st;

namespace calc_ops {

/// Adds the forces of all images to `force` [images, atoms, 3]. nullptr, or why it was not
/// launched.
template <typename scalar, typename index>
const char* launch_add_forces(const index* list_neigh, const scalar* dE, const scalar* Ri_d,
                              scalar* force, const force_sizes& sizes, CUstream_st* stream);

/// Writes the gradients of all images: grad_dE [images, atoms, slots, features] and grad_Ri_d
/// [..., 3]. nullptr, or why it was not launched.
template <typename scalar, typename index>
const char* launch_force_gradients(const scalar* grad_force, const index* list_neigh,
                                   const scalar* dE, const scalar* Ri_d, scalar* grad_dE,
                                   scalar* grad_Ri_d, const force_sizes& sizes,
                                   CUstream_st* stream);

}  // namespace calc_ops
