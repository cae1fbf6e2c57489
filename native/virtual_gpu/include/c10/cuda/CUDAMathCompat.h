#pragma once

// Stands for libtorch's header, which has its functions for nvcc alone: mathematics by one name for
// float and double.

#include <cuda_runtime.h>

#include <cmath>

namespace c10::cuda::compat {

#define OPSMITH_UNARY(name)                          \
  __host__ __device__ inline float name(float x) {   \
    return std::name(x);                             \
  }                                                  \
  __host__ __device__ inline double name(double x) { \
    return std::name(x);                             \
  }
OPSMITH_UNARY(abs)
OPSMITH_UNARY(exp)
OPSMITH_UNARY(ceil)
OPSMITH_UNARY(floor)
OPSMITH_UNARY(log)
OPSMITH_UNARY(log1p)
OPSMITH_UNARY(sqrt)
OPSMITH_UNARY(tan)
OPSMITH_UNARY(tanh)
#undef OPSMITH_UNARY

#define OPSMITH_BINARY(name, function)                         \
  __host__ __device__ inline float name(float x, float y) {    \
    return std::function(x, y);                                \
  }                                                            \
  __host__ __device__ inline double name(double x, double y) { \
    return std::function(x, y);                                \
  }
OPSMITH_BINARY(copysign, copysign)
OPSMITH_BINARY(max, fmax)
OPSMITH_BINARY(min, fmin)
OPSMITH_BINARY(pow, pow)
#undef OPSMITH_BINARY

__host__ __device__ inline float rsqrt(float x) {
  return 1.0f / std::sqrt(x);
}
__host__ __device__ inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}

__host__ __device__ inline void sincos(float x, float* sine, float* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
__host__ __device__ inline void sincos(double x, double* sine, double* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

// Of the complement, so that small results keep their digits.
__host__ __device__ inline float normcdf(float x) {
  return 0.5f * std::erfc(-x * 0.70710678118654752f);
}
__host__ __device__ inline double normcdf(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752);
}

}  // namespace c10::cuda::compat
