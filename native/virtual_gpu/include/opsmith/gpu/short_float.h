// The bits of floating-point formats shorter than float: widening, and rounding to them once.
#pragma once

#include "opsmith/gpu/rounding.h"

namespace opsmith::gpu {

// Rounds to a format of IEEE 754's kind: sign, exponent, mantissa; the highest exponent is for
// infinity and NaN. NaN becomes the format's positive NaN of all ones, as on GPUs.
template <int exponent_bits, int mantissa_bits, Rounding mode = Rounding::nearest>
constexpr unsigned short rounded_bits(double x) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr unsigned int sign_bit = 1u << (exponent_bits + mantissa_bits);
  constexpr unsigned int infinity = ((1u << exponent_bits) - 1) << mantissa_bits;

  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  const bool negative = bits >> 63;
  const unsigned int sign = negative ? sign_bit : 0;
  if (x != x) return sign_bit - 1;

  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  const int exponent = biased ? biased - 1023 : -1022;
  const bool overflows = exponent > bias;
  // All that is below the format's last bit, also for results that are subnormal.
  int dropped = 52 - mantissa_bits;
  if (exponent < 1 - bias) dropped += 1 - bias - exponent;
  if (dropped > 62) dropped = 62;
  const unsigned long long significand =
      (bits & 0xfffffffffffffull) | (biased ? 0x10000000000000ull : 0);
  const unsigned long long rest = significand & ((1ull << dropped) - 1);
  const unsigned long long half = 1ull << (dropped - 1);
  unsigned int result = static_cast<unsigned int>(significand >> dropped);
  // A subnormal that rounds up to a normal number, and a carry into the exponent, come out right.
  if (exponent >= 1 - bias && !overflows)
    result += static_cast<unsigned int>(exponent + bias - 1) << mantissa_bits;

  const bool away = mode == Rounding::up     ? !negative
                    : mode == Rounding::down ? negative
                                             : mode == Rounding::nearest;
  if (overflows) {
    if (biased == 0x7ff) return static_cast<unsigned short>(sign | infinity);
    return static_cast<unsigned short>(sign | (away ? infinity : infinity - 1));
  }
  if constexpr (mode == Rounding::nearest) {
    if (rest > half || (rest == half && (result & 1))) result++;
  } else {
    if (rest && away) result++;
  }
  return static_cast<unsigned short>(sign | result);
}

// IEEE 754's binary16.
struct Binary16 {
  static constexpr unsigned short infinity = 0x7c00;
  static constexpr unsigned short one = 0x3c00;

  static constexpr float widened(unsigned short bits) {
    const unsigned int sign = (bits & 0x8000u) << 16;
    const unsigned int rest = bits & 0x7fffu;
    if (rest > infinity) return __builtin_bit_cast(float, 0x7fffffff);
    if (rest == infinity) return __builtin_bit_cast(float, sign | 0x7f800000);
    // The mantissa moves to its place, and the product corrects the bias, also of subnormals.
    const float value = __builtin_bit_cast(float, rest << 13) * 0x1p112f;
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, value) | sign);
  }

  // The bits of round-to-nearest-even.
  static constexpr unsigned short narrowed(float x) {
    unsigned int bits = __builtin_bit_cast(unsigned int, x);
    const unsigned int sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return 0x7fff;
    if (bits >= 0x477ff000) return static_cast<unsigned short>(sign | infinity);  // 65520
    if (bits < 0x38800000) {
      // 0.5 has the last bit of half's subnormals: the addition rounds there.
      const float shifted = __builtin_bit_cast(float, bits) + 0.5f;
      const unsigned int result = __builtin_bit_cast(unsigned int, shifted) - 0x3f000000;
      return static_cast<unsigned short>(sign | result);
    }
    bits += 0xfff + (bits >> 13 & 1);
    return static_cast<unsigned short>(sign | (bits - 0x38000000) >> 13);
  }

  template <Rounding mode = Rounding::nearest>
  static constexpr unsigned short narrowed(double x) {
    return rounded_bits<5, 10, mode>(x);
  }
};

// bfloat16: the upper half of a float.
struct Bfloat16 {
  static constexpr unsigned short infinity = 0x7f80;
  static constexpr unsigned short one = 0x3f80;

  static constexpr float widened(unsigned short bits) {
    return __builtin_bit_cast(float, static_cast<unsigned int>(bits) << 16);
  }

  static constexpr unsigned short narrowed(float x) {
    const unsigned int bits = __builtin_bit_cast(unsigned int, x);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }

  template <Rounding mode = Rounding::nearest>
  static constexpr unsigned short narrowed(double x) {
    return rounded_bits<8, 7, mode>(x);
  }
};

// Arithmetic on bits that rounds once. A float has more than twice the bits of both formats, so its
// rounding changes no sum, and no product or quotient either, except where bfloat16's exponent lets
// float underflow.
template <class Format>
constexpr unsigned short short_sum(unsigned short a, unsigned short b) {
  return Format::narrowed(Format::widened(a) + Format::widened(b));
}

template <class Format>
constexpr unsigned short short_difference(unsigned short a, unsigned short b) {
  return Format::narrowed(Format::widened(a) - Format::widened(b));
}

inline bool is_normal_or_not_finite(float x) {
  return __builtin_fabsf(x) >= 0x1p-126f || x != x;
}

template <class Format>
inline unsigned short short_product(unsigned short a, unsigned short b) {
  const float x = Format::widened(a), y = Format::widened(b);
  const float product = x * y;
  if (is_normal_or_not_finite(product)) return Format::narrowed(product);
  return Format::narrowed(static_cast<double>(x) * y);
}

template <class Format>
inline unsigned short short_quotient(unsigned short a, unsigned short b) {
  const float x = Format::widened(a), y = Format::widened(b);
  const float quotient = x / y;
  if (is_normal_or_not_finite(quotient)) return Format::narrowed(quotient);
  return Format::narrowed(static_cast<double>(x) / y);
}

// The product is exact in double. The sum may not be: it is rounded to odd, so that the rounding
// to the format is as if it were the only one.
template <class Format>
inline unsigned short short_multiply_add(unsigned short a, unsigned short b, unsigned short c) {
#pragma clang fp contract(off)
  const double x = static_cast<double>(Format::widened(a)) * Format::widened(b);
  const double y = Format::widened(c);
  double sum = x + y;
  const bool x_larger = __builtin_fabs(x) >= __builtin_fabs(y);
  const double larger = x_larger ? x : y, smaller = x_larger ? y : x;
  const double error = smaller - (sum - larger);
  if (error < 0 || error > 0) {
    unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
    if (!(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : -1ull;
    sum = __builtin_bit_cast(double, bits);
  }
  return Format::narrowed(sum);
}

}  // namespace opsmith::gpu
