// SIMD in a word: two 16-bit or four 8-bit integers in an unsigned int.
#pragma once

#include "opsmith/gpu/macros.h"

namespace opsmith::gpu {

// A lane of 8 or 16 bits as an int, signed or not.
template <class Lane>
constexpr int lane(unsigned int word, int index) {
  return static_cast<Lane>(word >> (8 * sizeof(Lane) * index));
}

// Applies `operation` to the lanes of its words; the results are cut to the lanes' width.
template <class Lane, class Operation, class... Words>
constexpr unsigned int by_lane(Operation operation, Words... words) {
  constexpr int bits = 8 * sizeof(Lane);
  constexpr unsigned int mask = (1u << bits) - 1;
  unsigned int result = 0;
  for (int i = 0; i < 32 / bits; i++)
    result |= (static_cast<unsigned int>(operation(lane<Lane>(words, i)...)) & mask) << (bits * i);
  return result;
}

// The nearest value that a lane can have.
template <class Lane>
constexpr int clamped(int value) {
  constexpr int bits = 8 * sizeof(Lane);
  constexpr int low = static_cast<Lane>(-1) < 0 ? -(1 << (bits - 1)) : 0;
  constexpr int high = low + (1 << bits) - 1;
  return value < low ? low : value > high ? high : value;
}

constexpr int absolute_difference(int a, int b) {
  return a > b ? a - b : b - a;
}

template <class Lane>
constexpr unsigned int sum_of_absolute_differences(unsigned int a, unsigned int b) {
  unsigned int sum = 0;
  for (unsigned int i = 0; i < 4 / sizeof(Lane); i++)
    sum += static_cast<unsigned int>(absolute_difference(lane<Lane>(a, i), lane<Lane>(b, i)));
  return sum;
}

}  // namespace opsmith::gpu

// The expressions use x and y, the lanes of the words.
#define OPSMITH_UNARY(NAME, LANE, EXPRESSION)                                \
  constexpr unsigned int NAME(unsigned int a) {                              \
    return opsmith::gpu::by_lane<LANE>([](int x) { return EXPRESSION; }, a); \
  }
#define OPSMITH_BINARY(NAME, LANE, EXPRESSION)                                         \
  constexpr unsigned int NAME(unsigned int a, unsigned int b) {                        \
    return opsmith::gpu::by_lane<LANE>([](int x, int y) { return EXPRESSION; }, a, b); \
  }
#define OPSMITH_SAD(NAME, LANE)                                   \
  constexpr unsigned int NAME(unsigned int a, unsigned int b) {   \
    return opsmith::gpu::sum_of_absolute_differences<LANE>(a, b); \
  }

OPSMITH_UNARY(__vabs2, short, x < 0 ? -x : x)
OPSMITH_UNARY(__vabsss2, short, opsmith::gpu::clamped<short>(x < 0 ? -x : x))
OPSMITH_UNARY(__vneg2, short, -x)
OPSMITH_UNARY(__vnegss2, short, opsmith::gpu::clamped<short>(-x))
OPSMITH_BINARY(__vadd2, unsigned short, x + y)
OPSMITH_BINARY(__vaddss2, short, opsmith::gpu::clamped<short>(x + y))
OPSMITH_BINARY(__vaddus2, unsigned short, opsmith::gpu::clamped<unsigned short>(x + y))
OPSMITH_BINARY(__vsub2, unsigned short, x - y)
OPSMITH_BINARY(__vsubss2, short, opsmith::gpu::clamped<short>(x - y))
OPSMITH_BINARY(__vsubus2, unsigned short, opsmith::gpu::clamped<unsigned short>(x - y))
// Ties go away from zero.
OPSMITH_BINARY(__vavgs2, short, (x + y + (x + y >= 0)) >> 1)
OPSMITH_BINARY(__vavgu2, unsigned short, (x + y + 1) >> 1)
OPSMITH_BINARY(__vhaddu2, unsigned short, (x + y) >> 1)
OPSMITH_BINARY(__vmaxs2, short, x > y ? x : y)
OPSMITH_BINARY(__vmins2, short, x < y ? x : y)
OPSMITH_BINARY(__vabsdiffs2, short, opsmith::gpu::absolute_difference(x, y))
OPSMITH_SAD(__vsads2, short)
OPSMITH_BINARY(__vmaxu2, unsigned short, x > y ? x : y)
OPSMITH_BINARY(__vminu2, unsigned short, x < y ? x : y)
OPSMITH_BINARY(__vabsdiffu2, unsigned short, opsmith::gpu::absolute_difference(x, y))
OPSMITH_SAD(__vsadu2, unsigned short)
OPSMITH_BINARY(__vcmpeq2, unsigned short, x == y ? -1 : 0)
OPSMITH_BINARY(__vcmpne2, unsigned short, x != y ? -1 : 0)
OPSMITH_BINARY(__vcmpgts2, short, x > y ? -1 : 0)
OPSMITH_BINARY(__vcmpges2, short, x >= y ? -1 : 0)
OPSMITH_BINARY(__vcmplts2, short, x < y ? -1 : 0)
OPSMITH_BINARY(__vcmples2, short, x <= y ? -1 : 0)
OPSMITH_BINARY(__vcmpgtu2, unsigned short, x > y ? -1 : 0)
OPSMITH_BINARY(__vcmpgeu2, unsigned short, x >= y ? -1 : 0)
OPSMITH_BINARY(__vcmpltu2, unsigned short, x < y ? -1 : 0)
OPSMITH_BINARY(__vcmpleu2, unsigned short, x <= y ? -1 : 0)
OPSMITH_BINARY(__vseteq2, unsigned short, x == y ? 1 : 0)
OPSMITH_BINARY(__vsetne2, unsigned short, x != y ? 1 : 0)
OPSMITH_BINARY(__vsetgts2, short, x > y ? 1 : 0)
OPSMITH_BINARY(__vsetges2, short, x >= y ? 1 : 0)
OPSMITH_BINARY(__vsetlts2, short, x < y ? 1 : 0)
OPSMITH_BINARY(__vsetles2, short, x <= y ? 1 : 0)
OPSMITH_BINARY(__vsetgtu2, unsigned short, x > y ? 1 : 0)
OPSMITH_BINARY(__vsetgeu2, unsigned short, x >= y ? 1 : 0)
OPSMITH_BINARY(__vsetltu2, unsigned short, x < y ? 1 : 0)
OPSMITH_BINARY(__vsetleu2, unsigned short, x <= y ? 1 : 0)
OPSMITH_UNARY(__vabs4, signed char, x < 0 ? -x : x)
OPSMITH_UNARY(__vabsss4, signed char, opsmith::gpu::clamped<signed char>(x < 0 ? -x : x))
OPSMITH_UNARY(__vneg4, signed char, -x)
OPSMITH_UNARY(__vnegss4, signed char, opsmith::gpu::clamped<signed char>(-x))
OPSMITH_BINARY(__vadd4, unsigned char, x + y)
OPSMITH_BINARY(__vaddss4, signed char, opsmith::gpu::clamped<signed char>(x + y))
OPSMITH_BINARY(__vaddus4, unsigned char, opsmith::gpu::clamped<unsigned char>(x + y))
OPSMITH_BINARY(__vsub4, unsigned char, x - y)
OPSMITH_BINARY(__vsubss4, signed char, opsmith::gpu::clamped<signed char>(x - y))
OPSMITH_BINARY(__vsubus4, unsigned char, opsmith::gpu::clamped<unsigned char>(x - y))
// Ties go away from zero.
OPSMITH_BINARY(__vavgs4, signed char, (x + y + (x + y >= 0)) >> 1)
OPSMITH_BINARY(__vavgu4, unsigned char, (x + y + 1) >> 1)
OPSMITH_BINARY(__vhaddu4, unsigned char, (x + y) >> 1)
OPSMITH_BINARY(__vmaxs4, signed char, x > y ? x : y)
OPSMITH_BINARY(__vmins4, signed char, x < y ? x : y)
OPSMITH_BINARY(__vabsdiffs4, signed char, opsmith::gpu::absolute_difference(x, y))
OPSMITH_SAD(__vsads4, signed char)
OPSMITH_BINARY(__vmaxu4, unsigned char, x > y ? x : y)
OPSMITH_BINARY(__vminu4, unsigned char, x < y ? x : y)
OPSMITH_BINARY(__vabsdiffu4, unsigned char, opsmith::gpu::absolute_difference(x, y))
OPSMITH_SAD(__vsadu4, unsigned char)
OPSMITH_BINARY(__vcmpeq4, unsigned char, x == y ? -1 : 0)
OPSMITH_BINARY(__vcmpne4, unsigned char, x != y ? -1 : 0)
OPSMITH_BINARY(__vcmpgts4, signed char, x > y ? -1 : 0)
OPSMITH_BINARY(__vcmpges4, signed char, x >= y ? -1 : 0)
OPSMITH_BINARY(__vcmplts4, signed char, x < y ? -1 : 0)
OPSMITH_BINARY(__vcmples4, signed char, x <= y ? -1 : 0)
OPSMITH_BINARY(__vcmpgtu4, unsigned char, x > y ? -1 : 0)
OPSMITH_BINARY(__vcmpgeu4, unsigned char, x >= y ? -1 : 0)
OPSMITH_BINARY(__vcmpltu4, unsigned char, x < y ? -1 : 0)
OPSMITH_BINARY(__vcmpleu4, unsigned char, x <= y ? -1 : 0)
OPSMITH_BINARY(__vseteq4, unsigned char, x == y ? 1 : 0)
OPSMITH_BINARY(__vsetne4, unsigned char, x != y ? 1 : 0)
OPSMITH_BINARY(__vsetgts4, signed char, x > y ? 1 : 0)
OPSMITH_BINARY(__vsetges4, signed char, x >= y ? 1 : 0)
OPSMITH_BINARY(__vsetlts4, signed char, x < y ? 1 : 0)
OPSMITH_BINARY(__vsetles4, signed char, x <= y ? 1 : 0)
OPSMITH_BINARY(__vsetgtu4, unsigned char, x > y ? 1 : 0)
OPSMITH_BINARY(__vsetgeu4, unsigned char, x >= y ? 1 : 0)
OPSMITH_BINARY(__vsetltu4, unsigned char, x < y ? 1 : 0)
OPSMITH_BINARY(__vsetleu4, unsigned char, x <= y ? 1 : 0)

#undef OPSMITH_SAD
#undef OPSMITH_BINARY
#undef OPSMITH_UNARY
