#pragma once

// Reductions over the threads of a CUDA block. Each thread gives a value, and each receives the
// result: shuffles combine the values of a warp, shared memory those of the warps.

#include <algorithm>
#include <cstdint>

namespace opsmith_kernels {

constexpr int warp_size = 32;
constexpr unsigned all_lanes = 0xffffffffU;
/// A block has at most 1024 threads.
constexpr int most_warps = 32;

struct Sum {
  template <typename value>
  __device__ value operator()(value left, value right) const {
    return left + right;
  }
};

struct Maximum {
  /// NaN wins, as in torch.max.
  template <typename value>
  __device__ value operator()(value left, value right) const {
    return left > right || left != left ? left : right;
  }
};

/// All lanes of the warp must call it. An exclusive-or shuffle leaves the result in each of them.
template <typename value, typename combination>
__device__ value warp_reduce(value own, combination combine) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    own = combine(own, __shfl_xor_sync(all_lanes, own, distance));
  return own;
}

/// All threads of the block must call it; their number is a multiple of 32.
/// `of_warps` is shared memory for `most_warps` values; `neutral` changes nothing when it is
/// combined.
template <typename value, typename combination>
__device__ value block_reduce(value own, value* of_warps, value neutral, combination combine) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  own = warp_reduce(own, combine);
  __syncthreads();  // a warp may still read what an earlier reduction left there
  if (lane == 0) of_warps[warp] = own;
  __syncthreads();
  // Each warp does the last step: that is cheaper than one more barrier.
  return warp_reduce(lane < warps ? of_warps[lane] : neutral, combine);
}

/// Threads of a block for a row: whole warps, as block_reduce needs them, and no more than the row
/// has columns for.
inline unsigned threads_for(std::int64_t columns) {
  constexpr std::int64_t most = 256;
  const std::int64_t warps = (columns + warp_size - 1) / warp_size;
  return static_cast<unsigned>(std::min(most, warps * warp_size));
}

/// Blocks for rows. If there are more rows, a block computes several.
inline unsigned blocks_for(std::int64_t rows) {
  constexpr std::int64_t most = 1 << 16;
  return static_cast<unsigned>(std::min(most, rows));
}

}  // namespace opsmith_kernels
