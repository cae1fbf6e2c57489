// Integer intrinsics, and the bits of floating-point numbers.
#pragma once

#include "opsmith/gpu/macros.h"
#include "vector_types.h"

// --- bits of floating-point numbers ------------------------------------------------------------

constexpr int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
constexpr unsigned int __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned int, x);
}
constexpr float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
constexpr float __uint_as_float(unsigned int x) {
  return __builtin_bit_cast(float, x);
}
constexpr long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
constexpr double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
constexpr int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 32);
}
constexpr int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x));
}
constexpr double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high))
                                            << 32 |
                                        static_cast<unsigned>(low));
}

// --- bits --------------------------------------------------------------------------------------

constexpr int __clz(int x) {
  return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
constexpr int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
constexpr int __ffs(int x) {
  return __builtin_ffs(x);
}
constexpr int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
constexpr int __popc(unsigned int x) {
  return __builtin_popcount(x);
}
constexpr int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
constexpr unsigned int __brev(unsigned int x) {
  return __builtin_bitreverse32(x);
}
constexpr unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
constexpr unsigned short __nv_bswap16(unsigned short x) {
  return __builtin_bswap16(x);
}
constexpr unsigned int __nv_bswap32(unsigned int x) {
  return __builtin_bswap32(x);
}
constexpr unsigned long long __nv_bswap64(unsigned long long x) {
  return __builtin_bswap64(x);
}

constexpr unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned int byte = selector >> (4 * i) & 7;
    result |= static_cast<unsigned int>(bytes >> (8 * byte) & 0xff) << (8 * i);
  }
  return result;
}

constexpr unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(both << (shift & 31) >> 32);
}
constexpr unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
constexpr unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(both >> (shift & 31));
}
constexpr unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// The position of the `offset`-th set bit, counted from bit `base` up (offset > 0) or down
// (offset < 0); with offset 0, `base` if that bit is set. 0xffffffff if there is none.
constexpr unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0) return static_cast<unsigned int>(bit);
  return 0xffffffffu;
}

// --- arithmetic --------------------------------------------------------------------------------

constexpr int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
constexpr unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32);
}
constexpr long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
constexpr unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
constexpr unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
constexpr int __mul24(int x, int y) {
  const int short_x = static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
  const int short_y = static_cast<int>(static_cast<unsigned>(y) << 8) >> 8;
  return static_cast<int>(static_cast<unsigned>(short_x) * static_cast<unsigned>(short_y));
}
constexpr unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x > y ? x - y : y - x) + z;
}
constexpr unsigned int __sad(int x, int y, unsigned int z) {
  const unsigned int a = static_cast<unsigned>(x);
  const unsigned int b = static_cast<unsigned>(y);
  return (x > y ? a - b : b - a) + z;
}
constexpr int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
constexpr int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
constexpr unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
constexpr unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// --- dot products of short integers in a word ----------------------------------------------------

constexpr int __dp4a(int a, int b, int c) {
  unsigned int sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; i++)
    sum += static_cast<unsigned>(static_cast<signed char>(a >> (8 * i)) *
                                 static_cast<signed char>(b >> (8 * i)));
  return static_cast<int>(sum);
}
constexpr unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; i++)
    c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}
constexpr int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
constexpr unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}

// Two 16-bit numbers of `a` times two 8-bit numbers of `b`: the low or the high ones.
constexpr int __dp2a_lo(int a, int b, int c) {
  unsigned int sum = static_cast<unsigned>(c);
  for (int i = 0; i < 2; i++)
    sum += static_cast<unsigned>(static_cast<short>(a >> (16 * i)) *
                                 static_cast<signed char>(b >> (8 * i)));
  return static_cast<int>(sum);
}
constexpr unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 2; i++)
    c += (a >> (16 * i) & 0xffff) * (b >> (8 * i) & 0xff);
  return c;
}
constexpr int __dp2a_hi(int a, int b, int c) {
  return __dp2a_lo(a, b >> 16, c);
}
constexpr unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  return __dp2a_lo(a, b >> 16, c);
}
constexpr int __dp2a_lo(short2 a, char4 b, int c) {
  return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
constexpr unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
  return __dp2a_lo(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
constexpr int __dp2a_hi(short2 a, char4 b, int c) {
  return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
constexpr unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
  return __dp2a_hi(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
