#pragma once

// The checks of arguments and the choice of a bin, which the kernels of all devices share.

#include <ATen/core/Tensor.h>

// bin_of runs on the CPU and in CUDA kernels. Only CUDA compilers know __host__ and __device__.
#ifdef __CUDACC__
#define HISTOGRAM_BOTH __host__ __device__
#else
#define HISTOGRAM_BOTH
#endif

namespace histogram_sample {

inline void check_inputs(const at::Tensor& x, int64_t bins, double low, double high) {
  TORCH_CHECK(x.is_floating_point(), "histogram: x must be floating point, got ", x.scalar_type());
  TORCH_CHECK(bins >= 1 && bins <= 1 << 20, "histogram: bins must be 1 to 1048576, got ", bins);
  TORCH_CHECK(low < high, "histogram: low must be less than high, got ", low, " and ", high);
}

/// The bin of a value, or -1 outside of [low, high] and for NaN. `high` is in the last bin.
template <typename real>
HISTOGRAM_BOTH int bin_of(real value, real low, real high, int bins) {
  if (!(value >= low && value <= high)) return -1;
  const int bin = static_cast<int>((value - low) / (high - low) * static_cast<real>(bins));
  return bin < bins ? bin : bins - 1;
}

}  // namespace histogram_sample
