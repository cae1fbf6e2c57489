// Random numbers of cuRAND's device interface.
//
// Philox4x32-10 is the published algorithm (Salmon et al., 2011), with the seed as its key, the
// sequence and the offset as its counter: its integers are those of NVIDIA's library. XORWOW
// (Marsaglia, 2003) and MRG32k3a (L'Ecuyer, 1999) have the published recurrences, but seeds become
// states in a way of our own: their sequences differ from NVIDIA's. Normal numbers use the C
// library's functions, so that their last bits may differ.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include <opsmith/gpu/device.h>

// Tables of the host that device code reads: no check of device memory concerns them.
#define OPSMITH_GPU_UNCHECKED __attribute__((no_sanitize("thread")))

namespace opsmith::gpu::random {

// What all states keep of a pair of normal numbers.
struct spare_normals {
  int boxmuller_flag = 0;
  int boxmuller_flag_double = 0;
  float boxmuller_extra = 0;
  double boxmuller_extra_double = 0;
};

inline std::uint64_t mixed(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Philox4x32-10.

inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53u} * counter.x;
    const std::uint64_t b = std::uint64_t{0xcd9e8d57u} * counter.z;
    counter =
        make_uint4(static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
                   static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a));
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

// XORWOW: its step is linear in 160 bits, so that a jump is a matrix.

struct xorwow_vector {
  unsigned words[5];
};
struct xorwow_matrix {
  xorwow_vector images[160];
};

OPSMITH_GPU_UNCHECKED inline void xorwow_step(unsigned (&v)[5]) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i)
    v[i] = v[i + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

OPSMITH_GPU_UNCHECKED inline void xorwow_apply(const xorwow_matrix& matrix, unsigned (&v)[5]) {
  unsigned result[5] = {};
  for (int word = 0; word < 5; ++word) {
    for (unsigned rest = v[word]; rest != 0; rest &= rest - 1) {
      const xorwow_vector& image = matrix.images[word * 32 + __builtin_ctz(rest)];
      for (int i = 0; i < 5; ++i)
        result[i] ^= image.words[i];
    }
  }
  for (int i = 0; i < 5; ++i)
    v[i] = result[i];
}

// Jumps of 2^k steps. A sequence is 2^67 steps long.
struct xorwow_jumps {
  static constexpr int sequence_bit = 67;
  xorwow_matrix powers[sequence_bit + 64];

  OPSMITH_GPU_UNCHECKED xorwow_jumps() {
    for (int bit = 0; bit < 160; ++bit) {
      xorwow_vector& image = powers[0].images[bit];
      for (unsigned& word : image.words)
        word = 0;
      image.words[bit / 32] = 1u << bit % 32;
      xorwow_step(image.words);
    }
    for (int k = 1; k < sequence_bit + 64; ++k) {
      for (int bit = 0; bit < 160; ++bit) {
        powers[k].images[bit] = powers[k - 1].images[bit];
        xorwow_apply(powers[k - 1], powers[k].images[bit].words);
      }
    }
  }
};

// The first thread that jumps makes the table. It must not be preempted within the initialisation:
// other threads of its block are on the same thread of the system, and would wait for themselves.
OPSMITH_GPU_UNCHECKED inline const xorwow_jumps& xorwow_table() {
  static const xorwow_jumps* ready = nullptr;
  if (const xorwow_jumps* table = __atomic_load_n(&ready, __ATOMIC_ACQUIRE)) return *table;
  const bool was_advancing = current != nullptr && current->advancing;
  if (current != nullptr) current->advancing = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  static const xorwow_jumps table;
  __atomic_store_n(&ready, &table, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (current != nullptr) current->advancing = was_advancing;
  return table;
}

OPSMITH_GPU_UNCHECKED inline void xorwow_jump(unsigned (&v)[5], std::uint64_t count,
                                              int first_bit) {
  const xorwow_jumps& jumps = xorwow_table();
  for (; count != 0; count &= count - 1) {
    xorwow_apply(jumps.powers[first_bit + __builtin_ctzll(count)], v);
  }
}

// MRG32k3a: two recurrences of order three.

struct mrg_matrix {
  std::uint64_t m[3][3];
};

inline mrg_matrix mrg_product(const mrg_matrix& a, const mrg_matrix& b, std::uint64_t modulus) {
  mrg_matrix result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      unsigned __int128 sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += static_cast<unsigned __int128>(a.m[i][k]) * b.m[k][j];
      result.m[i][j] = static_cast<std::uint64_t>(sum % modulus);
    }
  }
  return result;
}

// Skips count * 2^doublings numbers.
inline void mrg_jump(unsigned (&s)[3], int which, std::uint64_t count, int doublings) {
  const std::uint64_t modulus = which == 0 ? 4294967087u : 4294944443u;
  mrg_matrix step = {{{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
  if (which == 0) {
    step.m[2][0] = modulus - 810728;
    step.m[2][1] = 1403580;
  } else {
    step.m[2][0] = modulus - 1370589;
    step.m[2][2] = 527612;
  }
  for (int i = 0; i < doublings; ++i)
    step = mrg_product(step, step, modulus);
  for (; count != 0; count >>= 1) {
    if (count & 1) {
      unsigned next[3];
      for (int i = 0; i < 3; ++i) {
        unsigned __int128 sum = 0;
        for (int k = 0; k < 3; ++k)
          sum += static_cast<unsigned __int128>(step.m[i][k]) * s[k];
        next[i] = static_cast<unsigned>(sum % modulus);
      }
      for (int i = 0; i < 3; ++i)
        s[i] = next[i];
    }
    step = mrg_product(step, step, modulus);
  }
}

}  // namespace opsmith::gpu::random

struct curandStatePhilox4_32_10 : opsmith::gpu::random::spare_normals {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned STATE;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

struct curandStateXORWOW : opsmith::gpu::random::spare_normals {
  unsigned d;
  unsigned v[5];
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;

struct curandStateMRG32k3a : opsmith::gpu::random::spare_normals {
  unsigned s1[3];
  unsigned s2[3];
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

#define OPSMITH_CURAND_REFUSED(NAME) \
  struct __attribute__((unavailable("curand: " #NAME " is not supported on the virtual GPU"))) NAME;
OPSMITH_CURAND_REFUSED(curandStateMtgp32)
OPSMITH_CURAND_REFUSED(curandStateMtgp32_t)
OPSMITH_CURAND_REFUSED(curandStateSobol32)
OPSMITH_CURAND_REFUSED(curandStateSobol32_t)
OPSMITH_CURAND_REFUSED(curandStateSobol64)
OPSMITH_CURAND_REFUSED(curandStateSobol64_t)
OPSMITH_CURAND_REFUSED(curandStateScrambledSobol32)
OPSMITH_CURAND_REFUSED(curandStateScrambledSobol32_t)
OPSMITH_CURAND_REFUSED(curandStateScrambledSobol64)
OPSMITH_CURAND_REFUSED(curandStateScrambledSobol64_t)
#undef OPSMITH_CURAND_REFUSED

namespace opsmith::gpu::random {

template <typename T>
inline constexpr bool is_state = false;
template <>
inline constexpr bool is_state<curandStatePhilox4_32_10> = true;
template <>
inline constexpr bool is_state<curandStateXORWOW> = true;
template <>
inline constexpr bool is_state<curandStateMRG32k3a> = true;

inline void forget_normals(spare_normals& state) {
  state.boxmuller_flag = 0;
  state.boxmuller_flag_double = 0;
  state.boxmuller_extra = 0;
  state.boxmuller_extra_double = 0;
}

inline std::uint64_t low_of(uint4 counter) {
  return counter.x | static_cast<std::uint64_t>(counter.y) << 32;
}
inline std::uint64_t high_of(uint4 counter) {
  return counter.z | static_cast<std::uint64_t>(counter.w) << 32;
}
inline uint4 counter_of(std::uint64_t low, std::uint64_t high) {
  return make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32),
                    static_cast<unsigned>(high), static_cast<unsigned>(high >> 32));
}
inline uint4 advanced(uint4 counter, std::uint64_t count) {
  const std::uint64_t low = low_of(counter) + count;
  return counter_of(low, high_of(counter) + (low < count ? 1 : 0));
}

}  // namespace opsmith::gpu::random

// Philox4x32-10.

inline void skipahead(unsigned long long count, curandStatePhilox4_32_10* state) {
  state->STATE += static_cast<unsigned>(count & 3);
  std::uint64_t steps = count / 4;
  if (state->STATE > 3) {
    ++steps;
    state->STATE -= 4;
  }
  state->ctr = opsmith::gpu::random::advanced(state->ctr, steps);
  state->output = opsmith::gpu::random::philox(state->ctr, state->key);
}
inline void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state) {
  namespace random = opsmith::gpu::random;
  state->ctr = random::counter_of(random::low_of(state->ctr), random::high_of(state->ctr) + count);
  state->output = random::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStatePhilox4_32_10* state) {
  opsmith::gpu::random::forget_normals(*state);
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  state->STATE = 0;
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}
inline uint4 curand4(curandStatePhilox4_32_10* state) {
  const uint4 old = state->output;
  state->ctr = opsmith::gpu::random::advanced(state->ctr, 1);
  state->output = opsmith::gpu::random::philox(state->ctr, state->key);
  const uint4& next = state->output;
  switch (state->STATE) {
    case 0:
      return old;
    case 1:
      return make_uint4(old.y, old.z, old.w, next.x);
    case 2:
      return make_uint4(old.z, old.w, next.x, next.y);
    default:
      return make_uint4(old.w, next.x, next.y, next.z);
  }
}
inline unsigned curand(curandStatePhilox4_32_10* state) {
  switch (state->STATE++) {
    case 0:
      return state->output.x;
    case 1:
      return state->output.y;
    case 2:
      return state->output.z;
    default: {
      const unsigned last = state->output.w;
      state->STATE = 0;
      state->ctr = opsmith::gpu::random::advanced(state->ctr, 1);
      state->output = opsmith::gpu::random::philox(state->ctr, state->key);
      return last;
    }
  }
}

// XORWOW.

inline void skipahead(unsigned long long count, curandStateXORWOW* state) {
  opsmith::gpu::random::xorwow_jump(state->v, count, 0);
  state->d += 362437u * static_cast<unsigned>(count);
}
// 2^67 times the step of d is a multiple of 2^32.
inline void skipahead_sequence(unsigned long long count, curandStateXORWOW* state) {
  opsmith::gpu::random::xorwow_jump(state->v, count,
                                    opsmith::gpu::random::xorwow_jumps::sequence_bit);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStateXORWOW* state) {
  opsmith::gpu::random::forget_normals(*state);
  std::uint64_t source = seed;
  const std::uint64_t a = opsmith::gpu::random::mixed(source);
  const std::uint64_t b = opsmith::gpu::random::mixed(source);
  const std::uint64_t c = opsmith::gpu::random::mixed(source);
  state->v[0] = static_cast<unsigned>(a) | 1u;  // not all zero
  state->v[1] = static_cast<unsigned>(a >> 32);
  state->v[2] = static_cast<unsigned>(b);
  state->v[3] = static_cast<unsigned>(b >> 32);
  state->v[4] = static_cast<unsigned>(c);
  state->d = static_cast<unsigned>(c >> 32);
  if (sequence != 0) skipahead_sequence(sequence, state);
  if (offset != 0) skipahead(offset, state);
}
inline unsigned curand(curandStateXORWOW* state) {
  opsmith::gpu::random::xorwow_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

// MRG32k3a.

inline void skipahead(unsigned long long count, curandStateMRG32k3a* state) {
  opsmith::gpu::random::mrg_jump(state->s1, 0, count, 0);
  opsmith::gpu::random::mrg_jump(state->s2, 1, count, 0);
}
inline void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a* state) {
  opsmith::gpu::random::mrg_jump(state->s1, 0, count, 67);
  opsmith::gpu::random::mrg_jump(state->s2, 1, count, 67);
}
inline void skipahead_sequence(unsigned long long count, curandStateMRG32k3a* state) {
  opsmith::gpu::random::mrg_jump(state->s1, 0, count, 127);
  opsmith::gpu::random::mrg_jump(state->s2, 1, count, 127);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStateMRG32k3a* state) {
  opsmith::gpu::random::forget_normals(*state);
  // L'Ecuyer's own seed for 0.
  for (unsigned& each : state->s1)
    each = 12345;
  for (unsigned& each : state->s2)
    each = 12345;
  if (seed != 0) {
    std::uint64_t source = seed;
    for (unsigned& each : state->s1) {
      each = static_cast<unsigned>(1 + opsmith::gpu::random::mixed(source) % 4294967086u);
    }
    for (unsigned& each : state->s2) {
      each = static_cast<unsigned>(1 + opsmith::gpu::random::mixed(source) % 4294944442u);
    }
  }
  if (sequence != 0) skipahead_subsequence(sequence, state);
  if (offset != 0) skipahead(offset, state);
}

namespace opsmith::gpu::random {

// From 1 to 4294967087.
inline std::uint64_t mrg_next(curandStateMRG32k3a& state) {
  unsigned(&a)[3] = state.s1;
  unsigned(&b)[3] = state.s2;
  const std::uint64_t p =
      (std::uint64_t{1403580} * a[1] + std::uint64_t{810728} * (4294967087u - a[0])) % 4294967087u;
  const std::uint64_t q =
      (std::uint64_t{527612} * b[2] + std::uint64_t{1370589} * (4294944443u - b[0])) % 4294944443u;
  a[0] = a[1];
  a[1] = a[2];
  a[2] = static_cast<unsigned>(p);
  b[0] = b[1];
  b[1] = b[2];
  b[2] = static_cast<unsigned>(q);
  return p > q ? p - q : p + 4294967087u - q;
}

}  // namespace opsmith::gpu::random

inline unsigned curand(curandStateMRG32k3a* state) {
  return static_cast<unsigned>(opsmith::gpu::random::mrg_next(*state) - 1);
}

// Distributions.

namespace opsmith::gpu::random {

// In (0, 1].
inline float unit(unsigned x) {
  constexpr float step = 2.3283064e-10f;
  return static_cast<float>(x) * step + step / 2.0f;
}
inline double unit_double(unsigned x, unsigned y) {
  constexpr double step = 1.1102230246251565e-16;
  const std::uint64_t z = static_cast<std::uint64_t>(x) ^ static_cast<std::uint64_t>(y) << 21;
  return static_cast<double>(z) * step + step / 2.0;
}

template <typename State>
float uniform(State* state) {
  if constexpr (std::is_same_v<State, curandStateMRG32k3a>) {
    return static_cast<float>(static_cast<double>(mrg_next(*state)) * 2.328306549295728e-10);
  } else {
    return unit(curand(state));
  }
}
template <typename State>
double uniform_double(State* state) {
  if constexpr (std::is_same_v<State, curandStateMRG32k3a>) {
    return static_cast<double>(mrg_next(*state)) * 2.328306549295728e-10;
  } else {
    const unsigned x = curand(state);
    const unsigned y = curand(state);
    return unit_double(x, y);
  }
}

// Box and Muller's method.
inline float2 normal_pair(unsigned x, unsigned y) {
  constexpr float step = 1.46291807e-09f;  // 2 pi / 2^32
  const float radius = ::sqrtf(-2.0f * ::logf(unit(x)));
  const float angle = static_cast<float>(y) * step + step / 2.0f;
  return make_float2(radius * ::sinf(angle), radius * ::cosf(angle));
}
inline double2 normal_pair(double u, double v) {
  const double radius = ::sqrt(-2.0 * ::log(u));
  const double angle = 6.283185307179586 * v;
  return make_double2(radius * ::sin(angle), radius * ::cos(angle));
}

}  // namespace opsmith::gpu::random

#define OPSMITH_CURAND_STATE \
  template <typename State, typename = std::enable_if_t<opsmith::gpu::random::is_state<State>>>

OPSMITH_CURAND_STATE float curand_uniform(State* state) {
  return opsmith::gpu::random::uniform(state);
}
OPSMITH_CURAND_STATE double curand_uniform_double(State* state) {
  return opsmith::gpu::random::uniform_double(state);
}
OPSMITH_CURAND_STATE float2 curand_normal2(State* state) {
  const unsigned x = curand(state);
  const unsigned y = curand(state);
  return opsmith::gpu::random::normal_pair(x, y);
}
OPSMITH_CURAND_STATE double2 curand_normal2_double(State* state) {
  const double u = curand_uniform_double(state);
  const double v = curand_uniform_double(state);
  return opsmith::gpu::random::normal_pair(u, v);
}
// The second number of a pair is the result of the next call.
OPSMITH_CURAND_STATE float curand_normal(State* state) {
  if (state->boxmuller_flag != 0) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_flag = 1;
  state->boxmuller_extra = pair.y;
  return pair.x;
}
OPSMITH_CURAND_STATE double curand_normal_double(State* state) {
  if (state->boxmuller_flag_double != 0) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_flag_double = 1;
  state->boxmuller_extra_double = pair.y;
  return pair.x;
}
OPSMITH_CURAND_STATE float curand_log_normal(State* state, float mean, float stddev) {
  return ::expf(mean + stddev * curand_normal(state));
}
OPSMITH_CURAND_STATE double curand_log_normal_double(State* state, double mean, double stddev) {
  return ::exp(mean + stddev * curand_normal_double(state));
}
OPSMITH_CURAND_STATE float2 curand_log_normal2(State* state, float mean, float stddev) {
  const float2 pair = curand_normal2(state);
  return make_float2(::expf(mean + stddev * pair.x), ::expf(mean + stddev * pair.y));
}
OPSMITH_CURAND_STATE double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  const double2 pair = curand_normal2_double(state);
  return make_double2(::exp(mean + stddev * pair.x), ::exp(mean + stddev * pair.y));
}

// Knuth's product for small means; Hörmann's transformed rejection (PTRS, 1993) for others.
OPSMITH_CURAND_STATE unsigned curand_poisson(State* state, double lambda) {
  if (lambda < 10.0) {
    const double limit = ::exp(-lambda);
    double product = curand_uniform_double(state);
    unsigned count = 0;
    while (product > limit) {
      product *= curand_uniform_double(state);
      ++count;
    }
    return count;
  }
  const double root = ::sqrt(lambda);
  const double log_lambda = ::log(lambda);
  const double b = 0.931 + 2.53 * root;
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_limit = 0.9277 - 3.6224 / (b - 2.0);
  while (true) {
    const double u = curand_uniform_double(state) - 0.5;
    const double v = curand_uniform_double(state);
    const double us = 0.5 - ::fabs(u);
    const double k = ::floor((2.0 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= v_limit) return static_cast<unsigned>(k);
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    if (::log(v * inverse_alpha / (a / (us * us) + b)) <=
        k * log_lambda - lambda - ::lgamma(k + 1.0)) {
      return static_cast<unsigned>(k);
    }
  }
}
#undef OPSMITH_CURAND_STATE

// Four or two numbers of Philox at once.

inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  return make_float4(opsmith::gpu::random::unit(x.x), opsmith::gpu::random::unit(x.y),
                     opsmith::gpu::random::unit(x.z), opsmith::gpu::random::unit(x.w));
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  return make_double2(opsmith::gpu::random::unit_double(x.x, x.y),
                      opsmith::gpu::random::unit_double(x.z, x.w));
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  const float2 a = opsmith::gpu::random::normal_pair(x.x, x.y);
  const float2 b = opsmith::gpu::random::normal_pair(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float stddev) {
  const float4 x = curand_normal4(state);
  return make_float4(::expf(mean + stddev * x.x), ::expf(mean + stddev * x.y),
                     ::expf(mean + stddev * x.z), ::expf(mean + stddev * x.w));
}
inline uint4 curand_poisson4(curandStatePhilox4_32_10* state, double lambda) {
  const unsigned x = curand_poisson(state, lambda);
  const unsigned y = curand_poisson(state, lambda);
  const unsigned z = curand_poisson(state, lambda);
  const unsigned w = curand_poisson(state, lambda);
  return make_uint4(x, y, z, w);
}
