// Intrinsics for dynamic programming ("DPX"): the smaller or larger of sums, of three numbers, or
// with its place. Sums wrap around; `relu` raises negative results to 0.
#pragma once

#include "opsmith/gpu/macros.h"
#include "opsmith/gpu/simd_intrinsics.h"

namespace opsmith::gpu {

constexpr int wrapped_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}
constexpr unsigned int wrapped_sum(unsigned int a, unsigned int b) {
  return a + b;
}
constexpr int raised_to_zero(int a) {
  return a < 0 ? 0 : a;
}

}  // namespace opsmith::gpu

// CHOICE is max or min, COMPARED the operator by which the first number is chosen.
#define OPSMITH_WORD(CHOICE, COMPARED, TYPE, SUFFIX)                        \
  constexpr TYPE __vi##CHOICE##3_##SUFFIX(TYPE a, TYPE b, TYPE c) {         \
    const TYPE first = a COMPARED b ? a : b;                                \
    return first COMPARED c ? first : c;                                    \
  }                                                                         \
  constexpr TYPE __viadd##CHOICE##_##SUFFIX(TYPE a, TYPE b, TYPE c) {       \
    const TYPE sum = opsmith::gpu::wrapped_sum(a, b);                       \
    return sum COMPARED c ? sum : c;                                        \
  }                                                                         \
  constexpr TYPE __vib##CHOICE##_##SUFFIX(TYPE a, TYPE b, bool* is_first) { \
    *is_first = a COMPARED b;                                               \
    return a COMPARED b ? a : b;                                            \
  }
#define OPSMITH_PAIR(CHOICE, COMPARED, LANE, SUFFIX, OF_TWO)                                 \
  constexpr unsigned int __vi##CHOICE##3_##SUFFIX(unsigned int a, unsigned int b,            \
                                                  unsigned int c) {                          \
    return OF_TWO(OF_TWO(a, b), c);                                                          \
  }                                                                                          \
  constexpr unsigned int __viadd##CHOICE##_##SUFFIX(unsigned int a, unsigned int b,          \
                                                    unsigned int c) {                        \
    return OF_TWO(__vadd2(a, b), c);                                                         \
  }                                                                                          \
  constexpr unsigned int __vib##CHOICE##_##SUFFIX(unsigned int a, unsigned int b,            \
                                                  bool* high_is_first, bool* low_is_first) { \
    using opsmith::gpu::lane;                                                                \
    *high_is_first = lane<LANE>(a, 1) COMPARED lane<LANE>(b, 1);                             \
    *low_is_first = lane<LANE>(a, 0) COMPARED lane<LANE>(b, 0);                              \
    return OF_TWO(a, b);                                                                     \
  }
#define OPSMITH_DPX(CHOICE, COMPARED)                                                 \
  OPSMITH_WORD(CHOICE, COMPARED, int, s32)                                            \
  OPSMITH_WORD(CHOICE, COMPARED, unsigned int, u32)                                   \
  OPSMITH_PAIR(CHOICE, COMPARED, short, s16x2, __v##CHOICE##s2)                       \
  OPSMITH_PAIR(CHOICE, COMPARED, unsigned short, u16x2, __v##CHOICE##u2)              \
  constexpr int __vi##CHOICE##_s32_relu(int a, int b) {                               \
    return opsmith::gpu::raised_to_zero(a COMPARED b ? a : b);                        \
  }                                                                                   \
  constexpr int __vi##CHOICE##3_s32_relu(int a, int b, int c) {                       \
    return opsmith::gpu::raised_to_zero(__vi##CHOICE##3_s32(a, b, c));                \
  }                                                                                   \
  constexpr int __viadd##CHOICE##_s32_relu(int a, int b, int c) {                     \
    return opsmith::gpu::raised_to_zero(__viadd##CHOICE##_s32(a, b, c));              \
  }                                                                                   \
  constexpr unsigned int __vi##CHOICE##_s16x2_relu(unsigned int a, unsigned int b) {  \
    return __vmaxs2(__v##CHOICE##s2(a, b), 0);                                        \
  }                                                                                   \
  constexpr unsigned int __vi##CHOICE##3_s16x2_relu(unsigned int a, unsigned int b,   \
                                                    unsigned int c) {                 \
    return __vmaxs2(__vi##CHOICE##3_s16x2(a, b, c), 0);                               \
  }                                                                                   \
  constexpr unsigned int __viadd##CHOICE##_s16x2_relu(unsigned int a, unsigned int b, \
                                                      unsigned int c) {               \
    return __vmaxs2(__viadd##CHOICE##_s16x2(a, b, c), 0);                             \
  }

OPSMITH_DPX(max, >=)
OPSMITH_DPX(min, <=)

#undef OPSMITH_DPX
#undef OPSMITH_PAIR
#undef OPSMITH_WORD
