// Functions of floating-point numbers that CUDA C++ has and the C library has not.
//
// Those that no C library has are computed in long double and rounded once: at least as exact as
// CUDA's documented bounds. Fast-math intrinsics (__sinf, …) are the exact functions: a GPU's are
// less exact, so a result that depends on their error is not seen here.
#pragma once

#include <math.h>
#include <stdlib.h>

#include "opsmith/gpu/macros.h"

// C23's functions are in newer C libraries under CUDA's names.
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 41)
#define OPSMITH_LIBC_HAS_SINPI
#endif
#if __GLIBC_PREREQ(2, 42)
#define OPSMITH_LIBC_HAS_RSQRT
#endif
#endif

namespace opsmith::gpu {

constexpr long double pi = 3.14159265358979323846264338327950288L;
constexpr long double sqrt_pi = 1.77245385090551602729816748334114518L;
constexpr long double sqrt_half = 0.707106781186547524400844362104849039L;

// |x| modulo 2 is exact, so only the multiplication with pi rounds.
inline double sine_of_half_turns(double x) {
  double turn = fmod(fabs(x), 2.0);
  const bool second_half = turn >= 1;
  if (second_half) turn -= 1;
  if (turn > 0.5) turn = 1 - turn;
  const double sine = turn <= 0.25 ? sin(turn * static_cast<double>(pi))
                                   : cos((0.5 - turn) * static_cast<double>(pi));
  return sine == 0 ? copysign(0.0, x) : second_half != (x < 0) ? -sine : sine;
}
inline double cosine_of_half_turns(double x) {
  double turn = fmod(fabs(x), 2.0);
  if (turn > 1) turn = 2 - turn;
  const bool negative = turn > 0.5;
  if (negative) turn = 1 - turn;
  const double cosine = turn <= 0.25 ? cos(turn * static_cast<double>(pi))
                                     : sin((0.5 - turn) * static_cast<double>(pi));
  return negative ? -cosine : cosine;
}

// exp(x * x) * erfc(x)
inline double scaled_erfc(double x) {
  const long double y = x;
  if (y < 10) return static_cast<double>(expl(y * y) * erfcl(y));
  // The asymptotic series: its terms shrink below 1e-20 within 16 terms from x = 10 on.
  long double term = 1, sum = 1;
  for (int n = 1; n <= 16; n++) {
    term *= -(2 * n - 1) / (2 * y * y);
    sum += term;
  }
  return static_cast<double>(sum / (y * sqrt_pi));
}

// erf(result) = y and erfc(result) = z, where y = 1 - z and 0 <= z <= 1: both are given because
// each is exact where the other is not.
inline long double inverse_erf(long double y, long double z) {
  if (y == 0 || z == 0) return y == 0 ? y : HUGE_VALL;
  // Winitzki's approximation, then Newton's method: for erf near 0, for log(erfc) elsewhere.
  const long double log_term = logl(z * (1 + y));
  const long double half = 2 / (pi * 0.147L) + log_term / 2;
  long double x = sqrtl(sqrtl(half * half - log_term / 0.147L) - half);
  for (int i = 0; i < 4; i++) {
    const long double slope = 2 / sqrt_pi * expl(-x * x);
    if (y < 0.5L) {
      x -= (erfl(x) - y) / slope;
    } else {
      const long double value = erfcl(x);
      x += logl(value / z) * value / slope;
    }
  }
  return x;
}
inline double inverse_erf(double y) {
  if (!(fabs(y) <= 1)) return NAN;
  if (y == 0) return y;
  const long double positive = fabsl(static_cast<long double>(y));
  return copysign(static_cast<double>(inverse_erf(positive, 1 - positive)), y);
}
inline double inverse_erfc(double z) {
  if (!(z >= 0 && z <= 2)) return NAN;
  const long double exact = z;
  return z <= 1 ? static_cast<double>(inverse_erf(1 - exact, exact))
                : -static_cast<double>(inverse_erf(exact - 1, 2 - exact));
}
inline double inverse_normal(double p) {
  if (!(p >= 0 && p <= 1)) return NAN;
  const long double z = 2 * static_cast<long double>(p);
  const long double x = z <= 1 ? -inverse_erf(1 - z, z) : inverse_erf(z - 1, 2 - z);
  return static_cast<double>(x / sqrt_half);
}

// The modified Bessel functions of the first kind, orders 0 and 1.
inline double bessel_i(int order, double x) {
  const long double y = fabsl(static_cast<long double>(x));
  if (!(y < 40)) {
    // Hankel's expansion for large arguments, with the exponential split so that it does not
    // overflow before the result does.
    if (isinf(x)) return order == 1 ? x : fabs(x);
    long double term = 1, sum = 1;
    for (int k = 1; k <= 30; k++) {
      term *= ((2.0L * k - 1) * (2 * k - 1) - 4 * order) / (8 * y * k);
      sum += term;
    }
    const long double result = expl(y / 2) / sqrtl(2 * pi * y) * sum * expl(y / 2);
    return static_cast<double>(order == 1 && x < 0 ? -result : result);
  }
  const long double quarter = y * y / 4;
  long double term = order == 1 ? y / 2 : 1, sum = term;
  for (int k = 1; term > sum * 1e-21L; k++) {
    term *= quarter / (static_cast<long double>(k) * (k + order));
    sum += term;
  }
  return static_cast<double>(order == 1 && x < 0 ? -sum : sum);
}

// Euclidean norms: long double has the range for the squares of all doubles.
template <class... Float>
inline long double norm_of(Float... values) {
  if ((isinf(values) || ...)) return HUGE_VALL;
  return sqrtl(((static_cast<long double>(values) * values) + ...));
}
template <class Float>
inline long double norm_of_array(int count, const Float* values) {
  long double sum = 0;
  bool infinite = false;
  for (int i = 0; i < count; i++) {
    infinite |= isinf(values[i]);
    sum += static_cast<long double>(values[i]) * values[i];
  }
  return infinite ? HUGE_VALL : sqrtl(sum);
}

}  // namespace opsmith::gpu

// --- double precision --------------------------------------------------------------------------

#ifndef OPSMITH_LIBC_HAS_RSQRT
inline double rsqrt(double x) {
  return 1 / sqrt(x);
}
inline float rsqrtf(float x) {
  return static_cast<float>(1 / sqrt(static_cast<double>(x)));
}
#endif
inline double rcbrt(double x) {
  return static_cast<double>(1 / cbrtl(x));
}
#ifndef OPSMITH_LIBC_HAS_SINPI
inline double sinpi(double x) {
  return opsmith::gpu::sine_of_half_turns(x);
}
inline double cospi(double x) {
  return opsmith::gpu::cosine_of_half_turns(x);
}
inline float sinpif(float x) {
  return static_cast<float>(opsmith::gpu::sine_of_half_turns(x));
}
inline float cospif(float x) {
  return static_cast<float>(opsmith::gpu::cosine_of_half_turns(x));
}
#endif
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline double erfinv(double y) {
  return opsmith::gpu::inverse_erf(y);
}
inline double erfcinv(double z) {
  return opsmith::gpu::inverse_erfc(z);
}
inline double erfcx(double x) {
  return opsmith::gpu::scaled_erfc(x);
}
inline double normcdf(double x) {
  return static_cast<double>(erfcl(-x * opsmith::gpu::sqrt_half) / 2);
}
inline double normcdfinv(double p) {
  return opsmith::gpu::inverse_normal(p);
}
inline double cyl_bessel_i0(double x) {
  return opsmith::gpu::bessel_i(0, x);
}
inline double cyl_bessel_i1(double x) {
  return opsmith::gpu::bessel_i(1, x);
}
inline double rhypot(double x, double y) {
  return static_cast<double>(1 / opsmith::gpu::norm_of(x, y));
}
inline double norm3d(double a, double b, double c) {
  return static_cast<double>(opsmith::gpu::norm_of(a, b, c));
}
inline double rnorm3d(double a, double b, double c) {
  return static_cast<double>(1 / opsmith::gpu::norm_of(a, b, c));
}
inline double norm4d(double a, double b, double c, double d) {
  return static_cast<double>(opsmith::gpu::norm_of(a, b, c, d));
}
inline double rnorm4d(double a, double b, double c, double d) {
  return static_cast<double>(1 / opsmith::gpu::norm_of(a, b, c, d));
}
inline double norm(int count, const double* values) {
  return static_cast<double>(opsmith::gpu::norm_of_array(count, values));
}
inline double rnorm(int count, const double* values) {
  return static_cast<double>(1 / opsmith::gpu::norm_of_array(count, values));
}
inline double fdivide(double x, double y) {
  return x / y;
}

// --- single precision --------------------------------------------------------------------------

inline float rcbrtf(float x) {
  return static_cast<float>(1 / cbrt(static_cast<double>(x)));
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline float erfinvf(float y) {
  return static_cast<float>(erfinv(static_cast<double>(y)));
}
inline float erfcinvf(float z) {
  return static_cast<float>(erfcinv(static_cast<double>(z)));
}
inline float erfcxf(float x) {
  return static_cast<float>(erfcx(static_cast<double>(x)));
}
inline float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}
inline float normcdfinvf(float p) {
  return static_cast<float>(normcdfinv(static_cast<double>(p)));
}
inline float cyl_bessel_i0f(float x) {
  return static_cast<float>(cyl_bessel_i0(static_cast<double>(x)));
}
inline float cyl_bessel_i1f(float x) {
  return static_cast<float>(cyl_bessel_i1(static_cast<double>(x)));
}
inline float rhypotf(float x, float y) {
  return static_cast<float>(rhypot(static_cast<double>(x), static_cast<double>(y)));
}
inline float norm3df(float a, float b, float c) {
  return static_cast<float>(opsmith::gpu::norm_of(a, b, c));
}
inline float rnorm3df(float a, float b, float c) {
  return static_cast<float>(1 / opsmith::gpu::norm_of(a, b, c));
}
inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(opsmith::gpu::norm_of(a, b, c, d));
}
inline float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(1 / opsmith::gpu::norm_of(a, b, c, d));
}
inline float normf(int count, const float* values) {
  return static_cast<float>(opsmith::gpu::norm_of_array(count, values));
}
inline float rnormf(int count, const float* values) {
  return static_cast<float>(1 / opsmith::gpu::norm_of_array(count, values));
}
inline float fdividef(float x, float y) {
  return x / y;
}
inline float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}

// --- overloads for float, as nvcc has them -----------------------------------------------------

#define OPSMITH_FLOAT_OVERLOAD(NAME) \
  inline float NAME(float x) {       \
    return NAME##f(x);               \
  }
OPSMITH_FLOAT_OVERLOAD(exp10)
OPSMITH_FLOAT_OVERLOAD(rsqrt)
OPSMITH_FLOAT_OVERLOAD(rcbrt)
OPSMITH_FLOAT_OVERLOAD(sinpi)
OPSMITH_FLOAT_OVERLOAD(cospi)
OPSMITH_FLOAT_OVERLOAD(j0)
OPSMITH_FLOAT_OVERLOAD(j1)
OPSMITH_FLOAT_OVERLOAD(y0)
OPSMITH_FLOAT_OVERLOAD(y1)
OPSMITH_FLOAT_OVERLOAD(cyl_bessel_i0)
OPSMITH_FLOAT_OVERLOAD(cyl_bessel_i1)
OPSMITH_FLOAT_OVERLOAD(erfinv)
OPSMITH_FLOAT_OVERLOAD(erfcinv)
OPSMITH_FLOAT_OVERLOAD(erfcx)
OPSMITH_FLOAT_OVERLOAD(normcdf)
OPSMITH_FLOAT_OVERLOAD(normcdfinv)
#undef OPSMITH_FLOAT_OVERLOAD

inline float jn(int n, float x) {
  return jnf(n, x);
}
inline float yn(int n, float x) {
  return ynf(n, x);
}
inline void sincos(float x, float* sine, float* cosine) {
  sincosf(x, sine, cosine);
}
inline void sincospi(float x, float* sine, float* cosine) {
  sincospif(x, sine, cosine);
}

// --- smaller and larger ------------------------------------------------------------------------

#define OPSMITH_MIN_MAX(RESULT, FIRST, SECOND)                                       \
  constexpr RESULT min(FIRST x, SECOND y) {                                          \
    return static_cast<RESULT>(x) < static_cast<RESULT>(y) ? static_cast<RESULT>(x)  \
                                                           : static_cast<RESULT>(y); \
  }                                                                                  \
  constexpr RESULT max(FIRST x, SECOND y) {                                          \
    return static_cast<RESULT>(x) > static_cast<RESULT>(y) ? static_cast<RESULT>(x)  \
                                                           : static_cast<RESULT>(y); \
  }
OPSMITH_MIN_MAX(int, int, int)
OPSMITH_MIN_MAX(unsigned int, unsigned int, unsigned int)
OPSMITH_MIN_MAX(unsigned int, int, unsigned int)
OPSMITH_MIN_MAX(unsigned int, unsigned int, int)
OPSMITH_MIN_MAX(long, long, long)
OPSMITH_MIN_MAX(unsigned long, unsigned long, unsigned long)
OPSMITH_MIN_MAX(unsigned long, long, unsigned long)
OPSMITH_MIN_MAX(unsigned long, unsigned long, long)
OPSMITH_MIN_MAX(long long, long long, long long)
OPSMITH_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
OPSMITH_MIN_MAX(unsigned long long, long long, unsigned long long)
OPSMITH_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef OPSMITH_MIN_MAX

// fmin and fmax: the other operand if one is NaN.
inline float min(float x, float y) {
  return fminf(x, y);
}
inline double min(double x, double y) {
  return fmin(x, y);
}
inline double min(float x, double y) {
  return fmin(static_cast<double>(x), y);
}
inline double min(double x, float y) {
  return fmin(x, static_cast<double>(y));
}
inline float max(float x, float y) {
  return fmaxf(x, y);
}
inline double max(double x, double y) {
  return fmax(x, y);
}
inline double max(float x, double y) {
  return fmax(static_cast<double>(x), y);
}
inline double max(double x, float y) {
  return fmax(x, static_cast<double>(y));
}

constexpr unsigned int umin(unsigned int x, unsigned int y) {
  return x < y ? x : y;
}
constexpr unsigned int umax(unsigned int x, unsigned int y) {
  return x > y ? x : y;
}
constexpr long long llmin(long long x, long long y) {
  return x < y ? x : y;
}
constexpr long long llmax(long long x, long long y) {
  return x > y ? x : y;
}
constexpr unsigned long long ullmin(unsigned long long x, unsigned long long y) {
  return x < y ? x : y;
}
constexpr unsigned long long ullmax(unsigned long long x, unsigned long long y) {
  return x > y ? x : y;
}

// --- fast-math intrinsics ----------------------------------------------------------------------

inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  sincosf(x, sine, cosine);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline float __tanhf(float x) {
  return tanhf(x);
}
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return exp10f(x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
// CUDA documents this range: 0 for finite x, NaN for infinite ones.
inline float __fdividef(float x, float y) {
  return fabsf(y) > 0x1p126f && !isinf(y) ? x * 0.0f : x / y;
}
