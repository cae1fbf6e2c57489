// The type of a short floating-point format with all functions on it. cuda_fp16.h and cuda_bf16.h
// include it once each; CUDA's names differ only in the type's name. They define before:
//   OPSMITH_TYPE, OPSMITH_TYPE2, OPSMITH_RAW, OPSMITH_RAW2   the names of the types
//   OPSMITH_FORMAT       the class of opsmith::gpu with the bits of the format
//   OPSMITH_OTHER        the type of the other format
//   OPSMITH_TORCH        libtorch's type of this format, declared
//   OPSMITH_FROM(x, y)   __x2half_y or __x2bfloat16_y
//   OPSMITH_TO(y)        __half2y or __bfloat162y
//   OPSMITH_NAME(x, y)   x##half##y or x##bfloat16##y
//   OPSMITH_SAME2        __half2half2 or __bfloat162bfloat162
//   OPSMITH_CONVERSIONS, OPSMITH_OPERATORS, OPSMITH_OPERATORS2   1 or 0: whether there are implicit
//                        conversions, operators, and operators of the type with two elements
// clang-format off: the many functions of one line each are easier to compare as a table.

struct alignas(2) OPSMITH_RAW {
  unsigned short x;
};
struct alignas(4) OPSMITH_RAW2 {
  unsigned short x, y;
};

struct alignas(2) OPSMITH_TYPE {
 protected:
  unsigned short __x;

 public:
  OPSMITH_TYPE() = default;
  constexpr OPSMITH_TYPE(const OPSMITH_RAW& raw) : __x(raw.x) {}
  constexpr OPSMITH_TYPE& operator=(const OPSMITH_RAW& raw) { __x = raw.x; return *this; }
  void operator=(const OPSMITH_RAW& raw) volatile { __x = raw.x; }
  void operator=(const volatile OPSMITH_RAW& raw) volatile { __x = raw.x; }
  constexpr operator OPSMITH_RAW() const { return {__x}; }
  operator OPSMITH_RAW() const volatile { return {__x}; }

  // libtorch's type of the same format. Its own conversions are there for nvcc only (__CUDACC__).
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, OPSMITH_TORCH>>>
  OPSMITH_TORCH_EXPLICIT OPSMITH_TYPE(const T& value) : __x(value.x) {}
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, OPSMITH_TORCH>>>
  operator T() const {
    return T(__x, typename T::from_bits_t{});
  }

#if OPSMITH_CONVERSIONS
  explicit OPSMITH_TYPE(OPSMITH_OTHER value);
  constexpr OPSMITH_TYPE(float value) : __x(opsmith::gpu::OPSMITH_FORMAT::narrowed(value)) {}
  constexpr OPSMITH_TYPE(double value) : __x(opsmith::gpu::OPSMITH_FORMAT::narrowed(value)) {}
  constexpr operator float() const { return opsmith::gpu::OPSMITH_FORMAT::widened(__x); }
  constexpr operator bool() const { return (__x & 0x7fff) != 0; }
  constexpr OPSMITH_TYPE& operator=(float value) { return *this = OPSMITH_TYPE(value); }
  constexpr OPSMITH_TYPE& operator=(double value) { return *this = OPSMITH_TYPE(value); }

#define OPSMITH_INTEGER(INTEGER)                                                         \
  constexpr OPSMITH_TYPE(INTEGER value)                                                  \
      : __x(opsmith::gpu::OPSMITH_FORMAT::narrowed(opsmith::gpu::odd_double(value))) {}  \
  constexpr OPSMITH_TYPE& operator=(INTEGER value) { return *this = OPSMITH_TYPE(value); }
  OPSMITH_INTEGER(short)
  OPSMITH_INTEGER(unsigned short)
  OPSMITH_INTEGER(int)
  OPSMITH_INTEGER(unsigned int)
  OPSMITH_INTEGER(long)
  OPSMITH_INTEGER(unsigned long)
  OPSMITH_INTEGER(long long)
  OPSMITH_INTEGER(unsigned long long)
#undef OPSMITH_INTEGER

#define OPSMITH_INTEGER(INTEGER)                                                               \
  operator INTEGER() const {                                                                   \
    return opsmith::gpu::to_integer<INTEGER, opsmith::gpu::Rounding::zero>(                    \
        opsmith::gpu::OPSMITH_FORMAT::widened(__x));                                           \
  }
  OPSMITH_INTEGER(char)
  OPSMITH_INTEGER(signed char)
  OPSMITH_INTEGER(unsigned char)
  OPSMITH_INTEGER(short)
  OPSMITH_INTEGER(unsigned short)
  OPSMITH_INTEGER(int)
  OPSMITH_INTEGER(unsigned int)
  OPSMITH_INTEGER(long)
  OPSMITH_INTEGER(unsigned long)
  OPSMITH_INTEGER(long long)
  OPSMITH_INTEGER(unsigned long long)
#undef OPSMITH_INTEGER
#endif
};

struct alignas(4) OPSMITH_TYPE2 {
  OPSMITH_TYPE x, y;

  OPSMITH_TYPE2() = default;
  constexpr OPSMITH_TYPE2(const OPSMITH_TYPE& x, const OPSMITH_TYPE& y) : x(x), y(y) {}
  constexpr OPSMITH_TYPE2(const OPSMITH_RAW2& raw) : x(OPSMITH_RAW{raw.x}), y(OPSMITH_RAW{raw.y}) {}
  constexpr operator OPSMITH_RAW2() const { return {OPSMITH_RAW(x).x, OPSMITH_RAW(y).x}; }
};

// --- bits --------------------------------------------------------------------------------------

constexpr OPSMITH_TYPE OPSMITH_NAME(__ushort_as_, )(unsigned short bits) { return OPSMITH_RAW{bits}; }
constexpr OPSMITH_TYPE OPSMITH_NAME(__short_as_, )(short bits) {
  return OPSMITH_RAW{static_cast<unsigned short>(bits)};
}
constexpr unsigned short OPSMITH_NAME(__, _as_ushort)(OPSMITH_TYPE a) { return OPSMITH_RAW(a).x; }
constexpr short OPSMITH_NAME(__, _as_short)(OPSMITH_TYPE a) {
  return static_cast<short>(OPSMITH_RAW(a).x);
}

namespace opsmith::gpu {

constexpr float wide(OPSMITH_TYPE a) { return OPSMITH_FORMAT::widened(OPSMITH_RAW(a).x); }

}  // namespace opsmith::gpu

// --- conversions -------------------------------------------------------------------------------

constexpr float OPSMITH_TO(float)(OPSMITH_TYPE a) { return opsmith::gpu::wide(a); }
constexpr OPSMITH_TYPE OPSMITH_FROM(float, )(float x) {
  return OPSMITH_RAW{opsmith::gpu::OPSMITH_FORMAT::narrowed(x)};
}
constexpr OPSMITH_TYPE OPSMITH_FROM(double, )(double x) {
  return OPSMITH_RAW{opsmith::gpu::OPSMITH_FORMAT::narrowed(x)};
}
constexpr OPSMITH_TYPE OPSMITH_FROM(float, _rn)(float x) { return OPSMITH_FROM(float, )(x); }

#define OPSMITH_MODE(SUFFIX, MODE)                                                                \
  constexpr OPSMITH_TYPE OPSMITH_FROM(float, SUFFIX)(float x) {                                   \
    return OPSMITH_RAW{opsmith::gpu::OPSMITH_FORMAT::narrowed<opsmith::gpu::Rounding::MODE>(      \
        static_cast<double>(x))};                                                                 \
  }
OPSMITH_MODE(_rz, zero)
OPSMITH_MODE(_ru, up)
OPSMITH_MODE(_rd, down)
#undef OPSMITH_MODE

#define OPSMITH_MODE(INTEGER, NAME, SUFFIX, MODE)                                                 \
  constexpr OPSMITH_TYPE OPSMITH_FROM(NAME, SUFFIX)(INTEGER x) {                                  \
    return OPSMITH_RAW{opsmith::gpu::OPSMITH_FORMAT::narrowed<opsmith::gpu::Rounding::MODE>(      \
        opsmith::gpu::odd_double(x))};                                                            \
  }                                                                                               \
  inline INTEGER OPSMITH_TO(NAME##SUFFIX)(OPSMITH_TYPE a) {                                       \
    return opsmith::gpu::to_integer<INTEGER, opsmith::gpu::Rounding::MODE>(opsmith::gpu::wide(a)); \
  }
#define OPSMITH_INTEGER(INTEGER, NAME)         \
  OPSMITH_MODE(INTEGER, NAME, _rn, nearest)    \
  OPSMITH_MODE(INTEGER, NAME, _rz, zero)       \
  OPSMITH_MODE(INTEGER, NAME, _ru, up)         \
  OPSMITH_MODE(INTEGER, NAME, _rd, down)
OPSMITH_INTEGER(short, short)
OPSMITH_INTEGER(unsigned short, ushort)
OPSMITH_INTEGER(int, int)
OPSMITH_INTEGER(unsigned int, uint)
OPSMITH_INTEGER(long long, ll)
OPSMITH_INTEGER(unsigned long long, ull)
#undef OPSMITH_INTEGER
#undef OPSMITH_MODE

inline signed char OPSMITH_TO(char_rz)(OPSMITH_TYPE a) {
  return opsmith::gpu::to_integer<signed char, opsmith::gpu::Rounding::zero>(opsmith::gpu::wide(a));
}
inline unsigned char OPSMITH_TO(uchar_rz)(OPSMITH_TYPE a) {
  return opsmith::gpu::to_integer<unsigned char, opsmith::gpu::Rounding::zero>(opsmith::gpu::wide(a));
}

// --- two elements ------------------------------------------------------------------------------

constexpr OPSMITH_TYPE2 OPSMITH_NAME(make_, 2)(OPSMITH_TYPE x, OPSMITH_TYPE y) { return {x, y}; }
constexpr OPSMITH_TYPE2 OPSMITH_NAME(__halves2, 2)(OPSMITH_TYPE x, OPSMITH_TYPE y) { return {x, y}; }
constexpr OPSMITH_TYPE2 OPSMITH_SAME2(OPSMITH_TYPE a) { return {a, a}; }
constexpr OPSMITH_TYPE2 OPSMITH_FROM(float, 2_rn)(float x) {
  return {OPSMITH_FROM(float, )(x), OPSMITH_FROM(float, )(x)};
}
constexpr OPSMITH_TYPE2 OPSMITH_FROM(floats, 2_rn)(float x, float y) {
  return {OPSMITH_FROM(float, )(x), OPSMITH_FROM(float, )(y)};
}
constexpr OPSMITH_TYPE2 OPSMITH_FROM(float2, 2_rn)(float2 a) {
  return {OPSMITH_FROM(float, )(a.x), OPSMITH_FROM(float, )(a.y)};
}
constexpr float2 OPSMITH_NAME(__, 22float2)(OPSMITH_TYPE2 a) {
  return {opsmith::gpu::wide(a.x), opsmith::gpu::wide(a.y)};
}
constexpr OPSMITH_TYPE OPSMITH_NAME(__low2, )(OPSMITH_TYPE2 a) { return a.x; }
constexpr OPSMITH_TYPE OPSMITH_NAME(__high2, )(OPSMITH_TYPE2 a) { return a.y; }
constexpr OPSMITH_TYPE2 OPSMITH_NAME(__low2, 2)(OPSMITH_TYPE2 a) { return {a.x, a.x}; }
constexpr OPSMITH_TYPE2 OPSMITH_NAME(__high2, 2)(OPSMITH_TYPE2 a) { return {a.y, a.y}; }
constexpr OPSMITH_TYPE2 OPSMITH_NAME(__lows2, 2)(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) { return {a.x, b.x}; }
constexpr OPSMITH_TYPE2 OPSMITH_NAME(__highs2, 2)(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) { return {a.y, b.y}; }
constexpr OPSMITH_TYPE2 __lowhigh2highlow(OPSMITH_TYPE2 a) { return {a.y, a.x}; }
constexpr float __low2float(OPSMITH_TYPE2 a) { return opsmith::gpu::wide(a.x); }
constexpr float __high2float(OPSMITH_TYPE2 a) { return opsmith::gpu::wide(a.y); }

// --- arithmetic --------------------------------------------------------------------------------

constexpr bool __hisnan(OPSMITH_TYPE a) {
  return (OPSMITH_RAW(a).x & 0x7fff) > opsmith::gpu::OPSMITH_FORMAT::infinity;
}
constexpr int __hisinf(OPSMITH_TYPE a) {
  const unsigned short bits = OPSMITH_RAW(a).x;
  return (bits & 0x7fff) != opsmith::gpu::OPSMITH_FORMAT::infinity ? 0 : bits >> 15 ? -1 : 1;
}
constexpr OPSMITH_TYPE __habs(OPSMITH_TYPE a) {
  return __hisnan(a) ? OPSMITH_RAW{0x7fff}
                     : OPSMITH_RAW{static_cast<unsigned short>(OPSMITH_RAW(a).x & 0x7fff)};
}
constexpr OPSMITH_TYPE __hneg(OPSMITH_TYPE a) {
  return __hisnan(a) ? OPSMITH_RAW{0x7fff}
                     : OPSMITH_RAW{static_cast<unsigned short>(OPSMITH_RAW(a).x ^ 0x8000)};
}

namespace opsmith::gpu {

// NaN and negative numbers become +0.
constexpr OPSMITH_TYPE saturated(OPSMITH_TYPE a) {
  const float value = wide(a);
  return value >= 1 ? OPSMITH_RAW{OPSMITH_FORMAT::one} : value > 0 ? OPSMITH_RAW(a) : OPSMITH_RAW{0};
}
constexpr OPSMITH_TYPE not_negative(OPSMITH_TYPE a) {
  return wide(a) <= 0 ? OPSMITH_RAW{0} : OPSMITH_RAW(a);
}
// +0 is larger than -0. NaN: the other operand, or NaN if `keeps_nan`.
constexpr OPSMITH_TYPE chosen(OPSMITH_TYPE a, OPSMITH_TYPE b, bool larger, bool keeps_nan) {
  if (__hisnan(a) || __hisnan(b)) {
    if (keeps_nan || (__hisnan(a) && __hisnan(b))) return OPSMITH_RAW{0x7fff};
    return __hisnan(a) ? b : a;
  }
  const float x = wide(a), y = wide(b);
  if (x == y) return (OPSMITH_RAW(a).x >> 15) == larger ? b : a;
  return (x > y) == larger ? a : b;
}

}  // namespace opsmith::gpu

#define OPSMITH_BINARY(NAME, FUNCTION)                                                     \
  inline OPSMITH_TYPE NAME(OPSMITH_TYPE a, OPSMITH_TYPE b) {                               \
    return OPSMITH_RAW{opsmith::gpu::FUNCTION<opsmith::gpu::OPSMITH_FORMAT>(               \
        OPSMITH_RAW(a).x, OPSMITH_RAW(b).x)};                                              \
  }                                                                                        \
  inline OPSMITH_TYPE NAME##_rn(OPSMITH_TYPE a, OPSMITH_TYPE b) { return NAME(a, b); }     \
  inline OPSMITH_TYPE NAME##_sat(OPSMITH_TYPE a, OPSMITH_TYPE b) {                         \
    return opsmith::gpu::saturated(NAME(a, b));                                            \
  }                                                                                        \
  inline OPSMITH_TYPE2 NAME##2(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) {                         \
    return {NAME(a.x, b.x), NAME(a.y, b.y)};                                               \
  }                                                                                        \
  inline OPSMITH_TYPE2 NAME##2_rn(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) { return NAME##2(a, b); } \
  inline OPSMITH_TYPE2 NAME##2_sat(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) {                     \
    return {NAME##_sat(a.x, b.x), NAME##_sat(a.y, b.y)};                                   \
  }
OPSMITH_BINARY(__hadd, short_sum)
OPSMITH_BINARY(__hsub, short_difference)
OPSMITH_BINARY(__hmul, short_product)
#undef OPSMITH_BINARY

inline OPSMITH_TYPE __hdiv(OPSMITH_TYPE a, OPSMITH_TYPE b) {
  return OPSMITH_RAW{opsmith::gpu::short_quotient<opsmith::gpu::OPSMITH_FORMAT>(
      OPSMITH_RAW(a).x, OPSMITH_RAW(b).x)};
}
inline OPSMITH_TYPE2 __h2div(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) {
  return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};
}

inline OPSMITH_TYPE __hfma(OPSMITH_TYPE a, OPSMITH_TYPE b, OPSMITH_TYPE c) {
  return OPSMITH_RAW{opsmith::gpu::short_multiply_add<opsmith::gpu::OPSMITH_FORMAT>(
      OPSMITH_RAW(a).x, OPSMITH_RAW(b).x, OPSMITH_RAW(c).x)};
}
inline OPSMITH_TYPE __hfma_sat(OPSMITH_TYPE a, OPSMITH_TYPE b, OPSMITH_TYPE c) {
  return opsmith::gpu::saturated(__hfma(a, b, c));
}
inline OPSMITH_TYPE __hfma_relu(OPSMITH_TYPE a, OPSMITH_TYPE b, OPSMITH_TYPE c) {
  return opsmith::gpu::not_negative(__hfma(a, b, c));
}
#define OPSMITH_FMA2(NAME2, NAME)                                                          \
  inline OPSMITH_TYPE2 NAME2(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b, OPSMITH_TYPE2 c) {          \
    return {NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y)};                                     \
  }
OPSMITH_FMA2(__hfma2, __hfma)
OPSMITH_FMA2(__hfma2_sat, __hfma_sat)
OPSMITH_FMA2(__hfma2_relu, __hfma_relu)
#undef OPSMITH_FMA2

// Complex numbers, the real part in x: a * b + c.
inline OPSMITH_TYPE2 __hcmadd(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b, OPSMITH_TYPE2 c) {
  return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

#define OPSMITH_CHOICE(NAME, LARGER, KEEPS_NAN)                                            \
  constexpr OPSMITH_TYPE NAME(OPSMITH_TYPE a, OPSMITH_TYPE b) {                            \
    return opsmith::gpu::chosen(a, b, LARGER, KEEPS_NAN);                                  \
  }
#define OPSMITH_CHOICE2(NAME2, NAME)                                                       \
  constexpr OPSMITH_TYPE2 NAME2(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) {                        \
    return {NAME(a.x, b.x), NAME(a.y, b.y)};                                               \
  }
OPSMITH_CHOICE(__hmax, true, false)
OPSMITH_CHOICE(__hmax_nan, true, true)
OPSMITH_CHOICE(__hmin, false, false)
OPSMITH_CHOICE(__hmin_nan, false, true)
OPSMITH_CHOICE2(__hmax2, __hmax)
OPSMITH_CHOICE2(__hmax2_nan, __hmax_nan)
OPSMITH_CHOICE2(__hmin2, __hmin)
OPSMITH_CHOICE2(__hmin2_nan, __hmin_nan)
#undef OPSMITH_CHOICE2
#undef OPSMITH_CHOICE

constexpr OPSMITH_TYPE2 __habs2(OPSMITH_TYPE2 a) { return {__habs(a.x), __habs(a.y)}; }
constexpr OPSMITH_TYPE2 __hneg2(OPSMITH_TYPE2 a) { return {__hneg(a.x), __hneg(a.y)}; }

// --- comparisons: the names with u are also true for NaN -----------------------------------------

#define OPSMITH_COMPARISON(NAME, CONDITION)                                                       \
  constexpr bool __h##NAME(OPSMITH_TYPE a, OPSMITH_TYPE b) {                                      \
    const float x = opsmith::gpu::wide(a), y = opsmith::gpu::wide(b);                             \
    return CONDITION;                                                                             \
  }                                                                                               \
  constexpr OPSMITH_TYPE2 __h##NAME##2(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) {                        \
    constexpr OPSMITH_RAW yes{opsmith::gpu::OPSMITH_FORMAT::one}, no{0};                          \
    return {__h##NAME(a.x, b.x) ? yes : no, __h##NAME(a.y, b.y) ? yes : no};                      \
  }                                                                                               \
  constexpr unsigned int __h##NAME##2_mask(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) {                    \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);       \
  }                                                                                               \
  constexpr bool __hb##NAME##2(OPSMITH_TYPE2 a, OPSMITH_TYPE2 b) {                                \
    return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y);                                            \
  }
OPSMITH_COMPARISON(eq, x == y)
OPSMITH_COMPARISON(ne, x < y || x > y)
OPSMITH_COMPARISON(lt, x < y)
OPSMITH_COMPARISON(le, x <= y)
OPSMITH_COMPARISON(gt, x > y)
OPSMITH_COMPARISON(ge, x >= y)
OPSMITH_COMPARISON(equ, !(x < y || x > y))
OPSMITH_COMPARISON(neu, x != y)
OPSMITH_COMPARISON(ltu, !(x >= y))
OPSMITH_COMPARISON(leu, !(x > y))
OPSMITH_COMPARISON(gtu, !(x <= y))
OPSMITH_COMPARISON(geu, !(x < y))
#undef OPSMITH_COMPARISON

constexpr OPSMITH_TYPE2 __hisnan2(OPSMITH_TYPE2 a) {
  constexpr OPSMITH_RAW yes{opsmith::gpu::OPSMITH_FORMAT::one}, no{0};
  return {__hisnan(a.x) ? yes : no, __hisnan(a.y) ? yes : no};
}

// --- functions: computed in double, then rounded once --------------------------------------------

#define OPSMITH_FUNCTION(NAME, EXPRESSION)                                                        \
  inline OPSMITH_TYPE h##NAME(OPSMITH_TYPE a) {                                                   \
    const double x = opsmith::gpu::wide(a);                                                       \
    return OPSMITH_RAW{opsmith::gpu::OPSMITH_FORMAT::narrowed(EXPRESSION)};                       \
  }                                                                                               \
  inline OPSMITH_TYPE2 h2##NAME(OPSMITH_TYPE2 a) { return {h##NAME(a.x), h##NAME(a.y)}; }
OPSMITH_FUNCTION(ceil, ::ceil(x))
OPSMITH_FUNCTION(floor, ::floor(x))
OPSMITH_FUNCTION(trunc, ::trunc(x))
OPSMITH_FUNCTION(rint, ::rint(x))
OPSMITH_FUNCTION(sqrt, ::sqrt(x))
OPSMITH_FUNCTION(rsqrt, 1 / ::sqrt(x))
OPSMITH_FUNCTION(rcp, 1 / x)
OPSMITH_FUNCTION(exp, ::exp(x))
OPSMITH_FUNCTION(exp2, ::exp2(x))
OPSMITH_FUNCTION(exp10, ::exp10(x))
OPSMITH_FUNCTION(log, ::log(x))
OPSMITH_FUNCTION(log2, ::log2(x))
OPSMITH_FUNCTION(log10, ::log10(x))
OPSMITH_FUNCTION(sin, ::sin(x))
OPSMITH_FUNCTION(cos, ::cos(x))
OPSMITH_FUNCTION(tanh, ::tanh(x))
OPSMITH_FUNCTION(tanh_approx, ::tanh(x))
#undef OPSMITH_FUNCTION

// --- atomic addition ---------------------------------------------------------------------------

namespace opsmith::gpu {

// Defined in atomics.h, which cuda_runtime.h includes and a program on the host need not.
template <typename T, typename Change>
T update_atomically(T* address, Change change);

}  // namespace opsmith::gpu

inline OPSMITH_TYPE atomicAdd(OPSMITH_TYPE* address, OPSMITH_TYPE value) {
  return opsmith::gpu::update_atomically(
      address, [value](OPSMITH_TYPE old) { return __hadd(old, value); });
}
inline OPSMITH_TYPE2 atomicAdd(OPSMITH_TYPE2* address, OPSMITH_TYPE2 value) {
  return opsmith::gpu::update_atomically(
      address, [value](OPSMITH_TYPE2 old) { return __hadd2(old, value); });
}

// --- operators ---------------------------------------------------------------------------------

#define OPSMITH_ARITHMETIC(TYPE, OPERATOR, FUNCTION)                                              \
  inline TYPE operator OPERATOR(const TYPE& a, const TYPE& b) { return FUNCTION(a, b); }          \
  inline TYPE& operator OPERATOR##=(TYPE& a, const TYPE& b) { return a = FUNCTION(a, b); }
#define OPSMITH_COMPARISON(TYPE, OPERATOR, FUNCTION)                                              \
  constexpr bool operator OPERATOR(const TYPE& a, const TYPE& b) { return FUNCTION(a, b); }

#if OPSMITH_OPERATORS
OPSMITH_ARITHMETIC(OPSMITH_TYPE, +, __hadd)
OPSMITH_ARITHMETIC(OPSMITH_TYPE, -, __hsub)
OPSMITH_ARITHMETIC(OPSMITH_TYPE, *, __hmul)
OPSMITH_ARITHMETIC(OPSMITH_TYPE, /, __hdiv)
OPSMITH_COMPARISON(OPSMITH_TYPE, ==, __heq)
OPSMITH_COMPARISON(OPSMITH_TYPE, !=, __hneu)
OPSMITH_COMPARISON(OPSMITH_TYPE, <, __hlt)
OPSMITH_COMPARISON(OPSMITH_TYPE, <=, __hle)
OPSMITH_COMPARISON(OPSMITH_TYPE, >, __hgt)
OPSMITH_COMPARISON(OPSMITH_TYPE, >=, __hge)
constexpr OPSMITH_TYPE operator+(const OPSMITH_TYPE& a) { return a; }
constexpr OPSMITH_TYPE operator-(const OPSMITH_TYPE& a) { return __hneg(a); }
inline OPSMITH_TYPE& operator++(OPSMITH_TYPE& a) {
  return a = __hadd(a, OPSMITH_RAW{opsmith::gpu::OPSMITH_FORMAT::one});
}
inline OPSMITH_TYPE& operator--(OPSMITH_TYPE& a) {
  return a = __hsub(a, OPSMITH_RAW{opsmith::gpu::OPSMITH_FORMAT::one});
}
inline OPSMITH_TYPE operator++(OPSMITH_TYPE& a, int) {
  const OPSMITH_TYPE before = a;
  ++a;
  return before;
}
inline OPSMITH_TYPE operator--(OPSMITH_TYPE& a, int) {
  const OPSMITH_TYPE before = a;
  --a;
  return before;
}
#endif

#if OPSMITH_OPERATORS2
OPSMITH_ARITHMETIC(OPSMITH_TYPE2, +, __hadd2)
OPSMITH_ARITHMETIC(OPSMITH_TYPE2, -, __hsub2)
OPSMITH_ARITHMETIC(OPSMITH_TYPE2, *, __hmul2)
OPSMITH_ARITHMETIC(OPSMITH_TYPE2, /, __h2div)
OPSMITH_COMPARISON(OPSMITH_TYPE2, ==, __hbeq2)
OPSMITH_COMPARISON(OPSMITH_TYPE2, !=, __hbneu2)
OPSMITH_COMPARISON(OPSMITH_TYPE2, <, __hblt2)
OPSMITH_COMPARISON(OPSMITH_TYPE2, <=, __hble2)
OPSMITH_COMPARISON(OPSMITH_TYPE2, >, __hbgt2)
OPSMITH_COMPARISON(OPSMITH_TYPE2, >=, __hbge2)
constexpr OPSMITH_TYPE2 operator+(const OPSMITH_TYPE2& a) { return a; }
constexpr OPSMITH_TYPE2 operator-(const OPSMITH_TYPE2& a) { return __hneg2(a); }
inline OPSMITH_TYPE2& operator++(OPSMITH_TYPE2& a) {
  constexpr OPSMITH_RAW one{opsmith::gpu::OPSMITH_FORMAT::one};
  return a = __hadd2(a, {one, one});
}
inline OPSMITH_TYPE2& operator--(OPSMITH_TYPE2& a) {
  constexpr OPSMITH_RAW one{opsmith::gpu::OPSMITH_FORMAT::one};
  return a = __hsub2(a, {one, one});
}
inline OPSMITH_TYPE2 operator++(OPSMITH_TYPE2& a, int) {
  const OPSMITH_TYPE2 before = a;
  ++a;
  return before;
}
inline OPSMITH_TYPE2 operator--(OPSMITH_TYPE2& a, int) {
  const OPSMITH_TYPE2 before = a;
  --a;
  return before;
}
#endif

#undef OPSMITH_ARITHMETIC
#undef OPSMITH_COMPARISON
#undef OPSMITH_TYPE
#undef OPSMITH_TYPE2
#undef OPSMITH_RAW
#undef OPSMITH_RAW2
#undef OPSMITH_FORMAT
#undef OPSMITH_OTHER
#undef OPSMITH_TORCH
#undef OPSMITH_TORCH_EXPLICIT
#undef OPSMITH_FROM
#undef OPSMITH_TO
#undef OPSMITH_NAME
#undef OPSMITH_SAME2
#undef OPSMITH_CONVERSIONS
#undef OPSMITH_OPERATORS
#undef OPSMITH_OPERATORS2
