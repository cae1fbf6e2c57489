// Complex numbers of CUDA's C interface.
#pragma once

#include <cmath>

#include "vector_types.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

inline float cuCrealf(cuFloatComplex z) {
  return z.x;
}
inline float cuCimagf(cuFloatComplex z) {
  return z.y;
}
inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) {
  return {real, imaginary};
}
inline cuComplex make_cuComplex(float real, float imaginary) {
  return {real, imaginary};
}
inline cuFloatComplex cuConjf(cuFloatComplex z) {
  return {z.x, -z.y};
}
inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) {
  return {a.x + b.x, a.y + b.y};
}
inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) {
  return {a.x - b.x, a.y - b.y};
}
inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
inline cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  // Divided by the larger part first, so that nothing overflows (Smith 1962).
  if (std::fabs(b.x) >= std::fabs(b.y)) {
    const float ratio = b.y / b.x;
    const float scale = b.x + b.y * ratio;
    return {(a.x + a.y * ratio) / scale, (a.y - a.x * ratio) / scale};
  }
  const float ratio = b.x / b.y;
  const float scale = b.x * ratio + b.y;
  return {(a.x * ratio + a.y) / scale, (a.y * ratio - a.x) / scale};
}
inline float cuCabsf(cuFloatComplex z) {
  return std::hypot(z.x, z.y);
}
inline cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return cuCaddf(cuCmulf(a, b), c);
}

inline double cuCreal(cuDoubleComplex z) {
  return z.x;
}
inline double cuCimag(cuDoubleComplex z) {
  return z.y;
}
inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) {
  return {real, imaginary};
}
inline cuDoubleComplex cuConj(cuDoubleComplex z) {
  return {z.x, -z.y};
}
inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) {
  return {a.x + b.x, a.y + b.y};
}
inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) {
  return {a.x - b.x, a.y - b.y};
}
inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
inline cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  if (std::fabs(b.x) >= std::fabs(b.y)) {
    const double ratio = b.y / b.x;
    const double scale = b.x + b.y * ratio;
    return {(a.x + a.y * ratio) / scale, (a.y - a.x * ratio) / scale};
  }
  const double ratio = b.x / b.y;
  const double scale = b.x * ratio + b.y;
  return {(a.x * ratio + a.y) / scale, (a.y * ratio - a.x) / scale};
}
inline double cuCabs(cuDoubleComplex z) {
  return std::hypot(z.x, z.y);
}
inline cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return cuCadd(cuCmul(a, b), c);
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return {static_cast<float>(z.x), static_cast<float>(z.y)};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return {z.x, z.y};
}
