// Arithmetic and conversions with a rounding mode in their names: __fadd_rz, __float2int_rd, …
//
// Arithmetic sets the CPU's rounding mode for the one operation, so signed zeros, overflow and
// subnormal results are IEEE 754's. Conversions are plain integer arithmetic.
#pragma once

#include <fenv.h>
#include <math.h>

#include <limits>
#include <type_traits>

#include "opsmith/gpu/macros.h"

namespace opsmith::gpu {

enum class Rounding { nearest, zero, up, down };

// The compiler may not move an operation on it past a change of the rounding mode, nor compute it
// at compile time.
template <class T>
inline T opaque(T value) {
  asm volatile("" : "+m"(value));
  return value;
}

class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) : before_(fegetround()) {
    fesetround(mode == Rounding::zero ? FE_TOWARDZERO
               : mode == Rounding::up ? FE_UPWARD
                                      : FE_DOWNWARD);
  }
  ~RoundingScope() { fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

// Operators of their own, so that no compiler contracts __fadd_rn(__fmul_rn(a, b), c) to an FMA.
struct Plus {
  template <class T>
  T operator()(T x, T y) const {
#pragma clang fp contract(off)
    return x + y;
  }
};
struct Minus {
  template <class T>
  T operator()(T x, T y) const {
#pragma clang fp contract(off)
    return x - y;
  }
};
struct Times {
  template <class T>
  T operator()(T x, T y) const {
#pragma clang fp contract(off)
    return x * y;
  }
};
struct Over {
  template <class T>
  T operator()(T x, T y) const {
    return x / y;
  }
};
struct SquareRoot {
  float operator()(float x) const { return __builtin_sqrtf(x); }
  double operator()(double x) const { return __builtin_sqrt(x); }
};
struct MultiplyAdd {
  float operator()(float x, float y, float z) const { return __builtin_fmaf(x, y, z); }
  double operator()(double x, double y, double z) const { return __builtin_fma(x, y, z); }
};

template <Rounding mode, class Operation, class... T>
inline auto rounded(T... operands) {
  if constexpr (mode == Rounding::nearest) {
    return Operation{}(operands...);
  } else {
    RoundingScope scope(mode);
    return opaque(Operation{}(opaque(operands)...));
  }
}

template <Rounding mode, class T>
inline T sum(T x, T y) {
  return rounded<mode, Plus>(x, y);
}
template <Rounding mode, class T>
inline T difference(T x, T y) {
  return rounded<mode, Minus>(x, y);
}
template <Rounding mode, class T>
inline T product(T x, T y) {
  return rounded<mode, Times>(x, y);
}
template <Rounding mode, class T>
inline T quotient(T x, T y) {
  return rounded<mode, Over>(x, y);
}
template <Rounding mode, class T>
inline T square_root(T x) {
  return rounded<mode, SquareRoot>(x);
}
template <Rounding mode, class T>
inline T multiply_add(T x, T y, T z) {
  return rounded<mode, MultiplyAdd>(x, y, z);
}

// --- floating point to integer -----------------------------------------------------------------

inline float to_integral(float x, Rounding mode) {
  switch (mode) {
    case Rounding::zero:
      return __builtin_truncf(x);
    case Rounding::up:
      return __builtin_ceilf(x);
    case Rounding::down:
      return __builtin_floorf(x);
    default:
      return __builtin_rintf(x);
  }
}
inline double to_integral(double x, Rounding mode) {
  switch (mode) {
    case Rounding::zero:
      return __builtin_trunc(x);
    case Rounding::up:
      return __builtin_ceil(x);
    case Rounding::down:
      return __builtin_floor(x);
    default:
      return __builtin_rint(x);
  }
}

// Saturates. PTX's cvt: NaN becomes 0 if both types have at most 32 bits, else only the highest
// bit is set.
template <class Integer, Rounding mode, class Float>
inline Integer to_integer(Float x) {
  using Limits = std::numeric_limits<Integer>;
  if (x != x) {
    if constexpr (sizeof(Integer) <= 4 && sizeof(Float) <= 4) return 0;
    return static_cast<Integer>(std::make_unsigned_t<Integer>{1} << (8 * sizeof(Integer) - 1));
  }
  constexpr Float limit = static_cast<Float>(Limits::max() / 2 + 1) * 2;  // a power of two: exact
  const Float integral = to_integral(x, mode);
  if (integral >= limit) return Limits::max();
  if (integral < static_cast<Float>(Limits::min())) return Limits::min();
  return static_cast<Integer>(integral);
}

// --- integer to floating point -----------------------------------------------------------------

template <class Integer>
constexpr unsigned long long magnitude(Integer value) {
  return value < 0 ? 0ull - static_cast<unsigned long long>(value)
                   : static_cast<unsigned long long>(value);
}

// An integer in the 53 bits of a double. If bits are lost, the last bit that is left is set ("round
// to odd"): a shorter format that is then rounded to in any mode is as if rounded to once.
template <class Integer>
constexpr double odd_double(Integer value) {
  unsigned long long bits = magnitude(value);
  if (bits >> 53) {
    const int lost = 11 - __builtin_clzll(bits);
    const unsigned long long kept = bits >> lost << lost;
    bits = kept == bits ? bits : kept | 1ull << lost;
  }
  const double result = static_cast<double>(bits);
  return value < 0 ? -result : result;
}

template <class Float>
constexpr Float next_up(Float x) {
  using Bits = std::conditional_t<sizeof(Float) == 4, unsigned int, unsigned long long>;
  const Bits bits = __builtin_bit_cast(Bits, x);
  return __builtin_bit_cast(Float, x > 0 ? bits + 1 : x < 0 ? bits - 1 : Bits{1});
}
template <class Float>
constexpr Float next_down(Float x) {
  return -next_up(-x);
}

// `nearest` is a value rounded to nearest, and it is below, at or above the exact one.
template <Rounding mode, class Float>
constexpr Float redirected(Float nearest, bool below, bool above) {
  if constexpr (mode == Rounding::up) return below ? next_up(nearest) : nearest;
  if constexpr (mode == Rounding::down) return above ? next_down(nearest) : nearest;
  if constexpr (mode == Rounding::zero) {
    if (nearest > 0 && above) return next_down(nearest);
    if (nearest < 0 && below) return next_up(nearest);
  }
  return nearest;
}

template <Rounding mode>
constexpr float to_float(double x) {
  const float nearest = static_cast<float>(x);
  return redirected<mode>(nearest, nearest<x, nearest> x);
}

template <Rounding mode, class Integer>
constexpr float integer_to_float(Integer value) {
  return to_float<mode>(odd_double(value));
}

template <Rounding mode, class Integer>
constexpr double integer_to_double(Integer value) {
  const double nearest = static_cast<double>(value);
  // 2^64 and 2^63 are not values of the integer types: what became them is above.
  constexpr double limit = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  if (nearest >= limit) return redirected<mode>(nearest, false, true);
  const Integer back = static_cast<Integer>(nearest);
  return redirected<mode>(nearest, back<value, back> value);
}

}  // namespace opsmith::gpu

// --- CUDA's names ------------------------------------------------------------------------------

// One function for each rounding mode; the call uses `mode`.
#define OPSMITH_ONE_MODE(RESULT, NAME, PARAMETERS, MODE, ...)             \
  inline RESULT NAME PARAMETERS {                                         \
    constexpr opsmith::gpu::Rounding mode = opsmith::gpu::Rounding::MODE; \
    return opsmith::gpu::__VA_ARGS__;                                     \
  }
#define OPSMITH_MODES(RESULT, NAME, PARAMETERS, ...)                    \
  OPSMITH_ONE_MODE(RESULT, NAME##_rn, PARAMETERS, nearest, __VA_ARGS__) \
  OPSMITH_ONE_MODE(RESULT, NAME##_rz, PARAMETERS, zero, __VA_ARGS__)    \
  OPSMITH_ONE_MODE(RESULT, NAME##_ru, PARAMETERS, up, __VA_ARGS__)      \
  OPSMITH_ONE_MODE(RESULT, NAME##_rd, PARAMETERS, down, __VA_ARGS__)

OPSMITH_MODES(float, __fadd, (float x, float y), sum<mode>(x, y))
OPSMITH_MODES(float, __fsub, (float x, float y), difference<mode>(x, y))
OPSMITH_MODES(float, __fmul, (float x, float y), product<mode>(x, y))
OPSMITH_MODES(float, __fdiv, (float x, float y), quotient<mode>(x, y))
OPSMITH_MODES(float, __frcp, (float x), quotient<mode>(1.0f, x))
OPSMITH_MODES(float, __fsqrt, (float x), square_root<mode>(x))
OPSMITH_MODES(float, __fmaf, (float x, float y, float z), multiply_add<mode>(x, y, z))
OPSMITH_MODES(double, __dadd, (double x, double y), sum<mode>(x, y))
OPSMITH_MODES(double, __dsub, (double x, double y), difference<mode>(x, y))
OPSMITH_MODES(double, __dmul, (double x, double y), product<mode>(x, y))
OPSMITH_MODES(double, __ddiv, (double x, double y), quotient<mode>(x, y))
OPSMITH_MODES(double, __drcp, (double x), quotient<mode>(1.0, x))
OPSMITH_MODES(double, __dsqrt, (double x), square_root<mode>(x))
OPSMITH_MODES(double, __fma, (double x, double y, double z), multiply_add<mode>(x, y, z))
OPSMITH_MODES(float, __fmaf_ieee, (float x, float y, float z), multiply_add<mode>(x, y, z))

OPSMITH_MODES(int, __float2int, (float x), to_integer<int, mode>(x))
OPSMITH_MODES(unsigned int, __float2uint, (float x), to_integer<unsigned int, mode>(x))
OPSMITH_MODES(long long, __float2ll, (float x), to_integer<long long, mode>(x))
OPSMITH_MODES(unsigned long long, __float2ull, (float x), to_integer<unsigned long long, mode>(x))
OPSMITH_MODES(int, __double2int, (double x), to_integer<int, mode>(x))
OPSMITH_MODES(unsigned int, __double2uint, (double x), to_integer<unsigned int, mode>(x))
OPSMITH_MODES(long long, __double2ll, (double x), to_integer<long long, mode>(x))
OPSMITH_MODES(unsigned long long, __double2ull, (double x), to_integer<unsigned long long, mode>(x))

OPSMITH_MODES(float, __double2float, (double x), to_float<mode>(x))
OPSMITH_MODES(float, __int2float, (int x), integer_to_float<mode>(x))
OPSMITH_MODES(float, __uint2float, (unsigned int x), integer_to_float<mode>(x))
OPSMITH_MODES(float, __ll2float, (long long x), integer_to_float<mode>(x))
OPSMITH_MODES(float, __ull2float, (unsigned long long x), integer_to_float<mode>(x))
OPSMITH_MODES(double, __ll2double, (long long x), integer_to_double<mode>(x))
OPSMITH_MODES(double, __ull2double, (unsigned long long x), integer_to_double<mode>(x))

#undef OPSMITH_MODES
#undef OPSMITH_ONE_MODE

constexpr double __int2double_rn(int x) {
  return x;
}
constexpr double __uint2double_rn(unsigned int x) {
  return x;
}

// 1 / sqrt(x): the quotient of doubles never rounds to another float than the exact value (checked
// for every significand).
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x)));
}
