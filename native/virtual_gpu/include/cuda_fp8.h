// CUDA's 8-bit floating-point types: __nv_fp8_e4m3 (no infinity, up to 448) and __nv_fp8_e5m2.
// __nv_fp8_e8m0, a scale of Blackwell GPUs, does not exist on the virtual GPU.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "opsmith/gpu/short_float.h"
#include "vector_types.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace opsmith::gpu {

// Rounds once. An overflow is the largest number if it saturates, else infinity or NaN.
constexpr unsigned char fp8_from(double x, __nv_saturation_t saturation,
                                 __nv_fp8_interpretation_t format) {
  if (x != x) return 0x7f;
  const unsigned int sign = __builtin_bit_cast(unsigned long long, x) >> 63 ? 0x80 : 0;
  const bool e4m3 = format == __NV_E4M3;
  // 464 is between 448 and what would be the next number: it goes to 448, which is even. 61440 goes
  // to infinity.
  const double size = x < 0 ? -x : x;
  if (e4m3 ? size > 464 : size >= 61440) {
    const unsigned int largest = e4m3 ? 0x7e : 0x7b;
    return static_cast<unsigned char>(sign |
                                      (saturation == __NV_SATFINITE ? largest : largest + 1));
  }
  if (!e4m3) return static_cast<unsigned char>(rounded_bits<5, 2>(x));
  // With IEEE 754's meaning of the highest exponent, 256 to 448 would not be numbers: one exponent
  // bit more has room, and e4m3's exponents are a part of its.
  if (size >= 0x1p-6) {
    const unsigned int wide = rounded_bits<5, 3>(size);
    return static_cast<unsigned char>(sign | (wide - (8u << 3)));
  }
  return static_cast<unsigned char>(sign | rounded_bits<4, 3>(size));
}

constexpr unsigned short half_from_fp8(unsigned char bits, __nv_fp8_interpretation_t format) {
  const unsigned int rest = bits & 0x7f;
  if (format == __NV_E5M2)
    return rest > 0x7c ? 0x7fff : static_cast<unsigned short>(static_cast<unsigned>(bits) << 8);
  if (rest == 0x7f) return 0x7fff;
  // The product corrects the bias of half (15) to that of e4m3 (7), also of subnormals.
  const float value = Binary16::widened(static_cast<unsigned short>(rest << 7)) * 0x1p8f;
  return static_cast<unsigned short>(Binary16::narrowed(value) | (bits & 0x80) << 8);
}

constexpr float float_from_fp8(unsigned char bits, __nv_fp8_interpretation_t format) {
  return Binary16::widened(half_from_fp8(bits, format));
}

constexpr unsigned short pair_of(unsigned char low, unsigned char high) {
  return static_cast<unsigned short>(low | high << 8);
}

}  // namespace opsmith::gpu

// --- functions ---------------------------------------------------------------------------------

constexpr __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                    __nv_fp8_interpretation_t format) {
  return opsmith::gpu::fp8_from(x, saturation, format);
}
constexpr __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                   __nv_fp8_interpretation_t format) {
  return opsmith::gpu::fp8_from(static_cast<double>(x), saturation, format);
}
constexpr __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(opsmith::gpu::Binary16::widened(x.x), saturation, format);
}
constexpr __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                         __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(opsmith::gpu::Bfloat16::widened(x.x), saturation, format);
}
constexpr __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                             __nv_fp8_interpretation_t format) {
  return {opsmith::gpu::half_from_fp8(x, format)};
}

constexpr __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t format) {
  return opsmith::gpu::pair_of(__nv_cvt_double_to_fp8(x.x, saturation, format),
                               __nv_cvt_double_to_fp8(x.y, saturation, format));
}
constexpr __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t format) {
  return opsmith::gpu::pair_of(__nv_cvt_float_to_fp8(x.x, saturation, format),
                               __nv_cvt_float_to_fp8(x.y, saturation, format));
}
constexpr __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x,
                                                          __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t format) {
  return opsmith::gpu::pair_of(__nv_cvt_halfraw_to_fp8({x.x}, saturation, format),
                               __nv_cvt_halfraw_to_fp8({x.y}, saturation, format));
}
constexpr __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                              __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t format) {
  return opsmith::gpu::pair_of(__nv_cvt_bfloat16raw_to_fp8({x.x}, saturation, format),
                               __nv_cvt_bfloat16raw_to_fp8({x.y}, saturation, format));
}
constexpr __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t format) {
  return {opsmith::gpu::half_from_fp8(static_cast<unsigned char>(x), format),
          opsmith::gpu::half_from_fp8(static_cast<unsigned char>(x >> 8), format)};
}

// --- types: all conversions are explicit, and those to fp8 saturate ------------------------------

#define OPSMITH_FROM(TYPE)                \
  explicit constexpr OPSMITH_TYPE(TYPE x) \
      : __x(opsmith::gpu::fp8_from(static_cast<double>(x), __NV_SATFINITE, format)) {}
#define OPSMITH_TO(INTEGER)                                                 \
  explicit operator INTEGER() const {                                       \
    return opsmith::gpu::to_integer<INTEGER, opsmith::gpu::Rounding::zero>( \
        opsmith::gpu::float_from_fp8(__x, format));                         \
  }
#define OPSMITH_INTEGER(INTEGER) OPSMITH_FROM(INTEGER) OPSMITH_TO(INTEGER)

#define OPSMITH_FP8(TYPE1, TYPE2, TYPE4, FORMAT)                                            \
  struct TYPE1 {                                                                            \
    static constexpr __nv_fp8_interpretation_t format = FORMAT;                             \
    __nv_fp8_storage_t __x;                                                                 \
                                                                                            \
    TYPE1() = default;                                                                      \
    OPSMITH_FROM(float)                                                                     \
    OPSMITH_FROM(double)                                                                    \
    explicit constexpr TYPE1(__half x) : TYPE1(opsmith::gpu::wide(x)) {}                    \
    explicit constexpr TYPE1(__nv_bfloat16 x) : TYPE1(opsmith::gpu::wide(x)) {}             \
    OPSMITH_INTEGER(short)                                                                  \
    OPSMITH_INTEGER(unsigned short)                                                         \
    OPSMITH_INTEGER(int)                                                                    \
    OPSMITH_INTEGER(unsigned int)                                                           \
    OPSMITH_INTEGER(long)                                                                   \
    OPSMITH_INTEGER(unsigned long)                                                          \
    OPSMITH_INTEGER(long long)                                                              \
    OPSMITH_INTEGER(unsigned long long)                                                     \
    OPSMITH_TO(char)                                                                        \
    OPSMITH_TO(signed char)                                                                 \
    OPSMITH_TO(unsigned char)                                                               \
    explicit constexpr operator float() const {                                             \
      return opsmith::gpu::float_from_fp8(__x, format);                                     \
    }                                                                                       \
    explicit constexpr operator double() const {                                            \
      return static_cast<double>(opsmith::gpu::float_from_fp8(__x, format));                \
    }                                                                                       \
    explicit constexpr operator __half() const {                                            \
      return __half_raw{opsmith::gpu::half_from_fp8(__x, format)};                          \
    }                                                                                       \
    explicit constexpr operator __nv_bfloat16() const {                                     \
      return __float2bfloat16(opsmith::gpu::float_from_fp8(__x, format));                   \
    }                                                                                       \
    explicit constexpr operator bool() const {                                              \
      return (__x & 0x7f) != 0;                                                             \
    }                                                                                       \
  };                                                                                        \
                                                                                            \
  struct alignas(2) TYPE2 {                                                                 \
    __nv_fp8x2_storage_t __x;                                                               \
                                                                                            \
    TYPE2() = default;                                                                      \
    explicit constexpr TYPE2(float2 x)                                                      \
        : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, FORMAT)) {}                       \
    explicit constexpr TYPE2(double2 x)                                                     \
        : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, FORMAT)) {}                      \
    explicit constexpr TYPE2(__half2 x)                                                     \
        : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, FORMAT)) {}                     \
    explicit constexpr TYPE2(__nv_bfloat162 x)                                              \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, FORMAT)) {}                 \
    explicit constexpr operator __half2() const {                                           \
      return __nv_cvt_fp8x2_to_halfraw2(__x, FORMAT);                                       \
    }                                                                                       \
    explicit constexpr operator float2() const {                                            \
      return __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, FORMAT));                       \
    }                                                                                       \
  };                                                                                        \
                                                                                            \
  struct alignas(4) TYPE4 {                                                                 \
    __nv_fp8x4_storage_t __x;                                                               \
                                                                                            \
    TYPE4() = default;                                                                      \
    explicit constexpr TYPE4(float4 x)                                                      \
        : TYPE4(TYPE2(float2{x.x, x.y}), TYPE2(float2{x.z, x.w})) {}                        \
    explicit constexpr TYPE4(double4 x)                                                     \
        : TYPE4(TYPE2(double2{x.x, x.y}), TYPE2(double2{x.z, x.w})) {}                      \
    explicit constexpr TYPE4(__half2 low, __half2 high) : TYPE4(TYPE2(low), TYPE2(high)) {} \
    explicit constexpr TYPE4(__nv_bfloat162 low, __nv_bfloat162 high)                       \
        : TYPE4(TYPE2(low), TYPE2(high)) {}                                                 \
    explicit constexpr operator float4() const {                                            \
      const __nv_fp8x2_storage_t halves[] = {static_cast<__nv_fp8x2_storage_t>(__x),        \
                                             static_cast<__nv_fp8x2_storage_t>(__x >> 16)}; \
      const float2 low = __half22float2(__nv_cvt_fp8x2_to_halfraw2(halves[0], FORMAT));     \
      const float2 high = __half22float2(__nv_cvt_fp8x2_to_halfraw2(halves[1], FORMAT));    \
      return {low.x, low.y, high.x, high.y};                                                \
    }                                                                                       \
                                                                                            \
   private:                                                                                 \
    constexpr TYPE4(TYPE2 low, TYPE2 high)                                                  \
        : __x(low.__x | static_cast<unsigned int>(high.__x) << 16) {}                       \
  };

#define OPSMITH_TYPE __nv_fp8_e4m3
OPSMITH_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
#undef OPSMITH_TYPE
#define OPSMITH_TYPE __nv_fp8_e5m2
OPSMITH_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef OPSMITH_TYPE

#undef OPSMITH_FP8
#undef OPSMITH_INTEGER
#undef OPSMITH_TO
#undef OPSMITH_FROM
