// An index that does not exist is caught in builds with NDEBUG too, as PyTorch's are: with file and
// line.
#undef NDEBUG
#include <cassert>

#include "force_kernel_cuda.h"

namespace calc_ops {

namespace {

constexpr int warp_size = 32;
constexpr int warps_of_block = 4;
constexpr unsigned all_lanes = 0xffffffffU;

/// A warp for each atom: its lanes go through the slots, push the neighbours, and add up between
/// them what pulls the atom itself. Atoms of an image push each other, hence the atomic additions,
/// whose order, and so the last digit of a sum, may differ from call to call.
template <typename scalar, typename index>
__global__ void add_forces_kernel(const index* __restrict__ list_neigh,
                                  const scalar* __restrict__ dE, const scalar* __restrict__ Ri_d,
                                  scalar* __restrict__ force, force_sizes sizes) {
  const int64_t row = int64_t(blockIdx.x) * warps_of_block + threadIdx.y;  // image * atoms + atom
  if (row >= sizes.images * sizes.atoms) return;
  scalar* const image = force + row / sizes.atoms * sizes.atoms * 3;
  scalar own[3] = {0, 0, 0};
  for (int64_t slot = threadIdx.x; slot < sizes.slots; slot += warp_size) {
    const int64_t pair = row * sizes.slots + slot;
    const auto neighbour = static_cast<int64_t>(list_neigh[pair]) - 1;
    if (neighbour < 0) continue;
    // The next call on this device reports it: "device-side assert triggered".
    assert(neighbour < sizes.atoms);
    scalar pull[3] = {0, 0, 0};
    for (int64_t at = pair * sizes.features; at < (pair + 1) * sizes.features; ++at) {
      for (int axis = 0; axis < 3; ++axis)
        pull[axis] += dE[at] * Ri_d[at * 3 + axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
      own[axis] += pull[axis];
      atomicAdd(image + neighbour * 3 + axis, -pull[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2)
      own[axis] += __shfl_down_sync(all_lanes, own[axis], distance);
    if (threadIdx.x == 0) atomicAdd(force + row * 3 + axis, own[axis]);
  }
}

}  // namespace

template <typename scalar, typename index>
const char* launch_add_forces(const index* list_neigh, const scalar* dE, const scalar* Ri_d,
                              scalar* force, const force_sizes& sizes, CUstream_st* stream) {
  const int64_t rows = sizes.images * sizes.atoms;
  if (rows == 0) return nullptr;
  const auto blocks = static_cast<unsigned>((rows + warps_of_block - 1) / warps_of_block);
  add_forces_kernel<<<blocks, dim3(warp_size, warps_of_block), 0, stream>>>(list_neigh, dE, Ri_d,
                                                                            force, sizes);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

#define CALC_OPS_INSTANTIATE(scalar, index)                                                   \
  template const char* launch_add_forces(const index*, const scalar*, const scalar*, scalar*, \
                                         const force_sizes&, CUstream_st*);
CALC_OPS_INSTANTIATE(float, int32_t)
CALC_OPS_INSTANTIATE(float, int64_t)
CALC_OPS_INSTANTIATE(double, int32_t)
CALC_OPS_INSTANTIATE(double, int64_t)
#undef CALC_OPS_INSTANTIATE

}  // namespace calc_ops
