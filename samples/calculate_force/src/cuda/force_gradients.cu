// As in add_forces.cu.
#undef NDEBUG
#include <cassert>

#include "force_kernel_cuda.h"

namespace calc_ops {

namespace {

constexpr int threads_of_block = 256;

/// A thread for each feature of each slot: neighbouring threads read and write neighbouring memory,
/// and nothing is written by two.
template <typename scalar, typename index>
__global__ void force_gradients_kernel(const scalar* __restrict__ grad_force,
                                       const index* __restrict__ list_neigh,
                                       const scalar* __restrict__ dE,
                                       const scalar* __restrict__ Ri_d,
                                       scalar* __restrict__ grad_dE, scalar* __restrict__ grad_Ri_d,
                                       force_sizes sizes) {
  const int64_t count = sizes.images * sizes.atoms * sizes.slots * sizes.features;
  const int64_t step = int64_t(gridDim.x) * threads_of_block;
  for (int64_t at = int64_t(blockIdx.x) * threads_of_block + threadIdx.x; at < count; at += step) {
    const int64_t pair = at / sizes.features;
    const int64_t row = pair / sizes.slots;
    const int64_t first = row / sizes.atoms * sizes.atoms;  // atom 0 of the image
    const auto neighbour = static_cast<int64_t>(list_neigh[pair]) - 1;
    assert(neighbour < sizes.atoms);
    scalar sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      // An empty slot has no share in any force.
      const scalar difference =
          neighbour < 0 ? scalar(0)
                        : grad_force[row * 3 + axis] - grad_force[(first + neighbour) * 3 + axis];
      sum += Ri_d[at * 3 + axis] * difference;
      grad_Ri_d[at * 3 + axis] = dE[at] * difference;
    }
    grad_dE[at] = sum;
  }
}

}  // namespace

template <typename scalar, typename index>
const char* launch_force_gradients(const scalar* grad_force, const index* list_neigh,
                                   const scalar* dE, const scalar* Ri_d, scalar* grad_dE,
                                   scalar* grad_Ri_d, const force_sizes& sizes,
                                   CUstream_st* stream) {
  const int64_t count = sizes.images * sizes.atoms * sizes.slots * sizes.features;
  if (count == 0) return nullptr;
  constexpr int64_t most_blocks = 1 << 16;  // then a thread takes several
  const int64_t needed = (count + threads_of_block - 1) / threads_of_block;
  const auto blocks = static_cast<unsigned>(needed < most_blocks ? needed : most_blocks);
  force_gradients_kernel<<<blocks, threads_of_block, 0, stream>>>(grad_force, list_neigh, dE, Ri_d,
                                                                  grad_dE, grad_Ri_d, sizes);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

#define CALC_OPS_INSTANTIATE(scalar, index)                                                        \
  template const char* launch_force_gradients(const scalar*, const index*, const scalar*,          \
                                              const scalar*, scalar*, scalar*, const force_sizes&, \
                                              CUstream_st*);
CALC_OPS_INSTANTIATE(float, int32_t)
CALC_OPS_INSTANTIATE(float, int64_t)
CALC_OPS_INSTANTIATE(double, int32_t)
CALC_OPS_INSTANTIATE(double, int64_t)
#undef CALC_OPS_INSTANTIATE

}  // namespace calc_ops
