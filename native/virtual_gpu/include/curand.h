// The host interface of cuRAND. Which numbers a generator makes for a seed is not that of NVIDIA's
// library, and they come in the order of one sequence.
#pragma once
#include <cstddef>
#include <cstdlib>

#include <opsmith/gpu/device.h>
#include <opsmith/gpu/random.h>

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 3
#define CURAND_VER_PATCH 9
#define CURAND_VERSION (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)

typedef enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

#define OPSMITH_CURAND_REFUSED \
  __attribute__((unavailable("curand: this generator is not supported on the virtual GPU")))
typedef enum curandRngType {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 OPSMITH_CURAND_REFUSED = 141,
  CURAND_RNG_PSEUDO_MT19937 OPSMITH_CURAND_REFUSED = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT OPSMITH_CURAND_REFUSED = 200,
  CURAND_RNG_QUASI_SOBOL32 OPSMITH_CURAND_REFUSED = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 OPSMITH_CURAND_REFUSED = 202,
  CURAND_RNG_QUASI_SOBOL64 OPSMITH_CURAND_REFUSED = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 OPSMITH_CURAND_REFUSED = 204
} curandRngType_t;
#undef OPSMITH_CURAND_REFUSED

typedef enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
  CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host;
  unsigned long long seed = 0;
  unsigned long long offset = 0;
  cudaStream_t stream = 0;
  bool seeded = false;
  curandStateXORWOW xorwow;
  curandStateMRG32k3a mrg;
  curandStatePhilox4_32_10 philox;
};
typedef curandGenerator_st* curandGenerator_t;

namespace opsmith::gpu::random {

inline curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
  if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW &&
      type != CURAND_RNG_PSEUDO_MRG32K3A && type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new curandGenerator_st();
  (*generator)->type = type;
  (*generator)->on_host = on_host;
  return CURAND_STATUS_SUCCESS;
}

template <typename T, typename Make>
void fill(curandGenerator_st& generator, T* out, std::size_t count, Make make) {
  const auto from = [&](auto& state) {
    if (!generator.seeded) curand_init(generator.seed, 0, generator.offset, &state);
    generator.seeded = true;
    for (std::size_t i = 0; i < count; ++i)
      out[i] = static_cast<T>(make(&state));
  };
  if (generator.type == CURAND_RNG_PSEUDO_MRG32K3A) {
    from(generator.mrg);
  } else if (generator.type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
    from(generator.philox);
  } else {
    from(generator.xorwow);
  }
}

template <typename T, typename Make>
curandStatus_t generate(curandGenerator_t generator, T* out, std::size_t count, Make make) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->on_host) {
    fill(*generator, out, count, make);
    return CURAND_STATUS_SUCCESS;
  }
  if (cudaStreamSynchronize(generator->stream) != cudaSuccess) {
    return CURAND_STATUS_PREEXISTING_FAILURE;
  }
  DeviceAccess access;
  fill(*generator, out, count, make);
  return CURAND_STATUS_SUCCESS;
}

}  // namespace opsmith::gpu::random

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return opsmith::gpu::random::create(generator, type, false);
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator,
                                                curandRngType_t type) {
  return opsmith::gpu::random::create(generator, type, true);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
                                                 curandOrdering_t ordering) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return ordering == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_OUT_OF_RANGE
                                                   : CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}

inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out,
                                     std::size_t count) {
  return opsmith::gpu::random::generate(generator, out, count,
                                        [](auto* state) { return curand(state); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out,
                                            std::size_t count) {
  return opsmith::gpu::random::generate(generator, out, count,
                                        [](auto* state) { return curand_uniform(state); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out,
                                                  std::size_t count) {
  return opsmith::gpu::random::generate(generator, out, count,
                                        [](auto* state) { return curand_uniform_double(state); });
}
// Normal numbers come in pairs, as in NVIDIA's library.
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out,
                                           std::size_t count, float mean, float stddev) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return opsmith::gpu::random::generate(
      generator, out, count, [=](auto* state) { return mean + stddev * curand_normal(state); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out,
                                                 std::size_t count, double mean, double stddev) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return opsmith::gpu::random::generate(generator, out, count, [=](auto* state) {
    return mean + stddev * curand_normal_double(state);
  });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out,
                                              std::size_t count, float mean, float stddev) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return opsmith::gpu::random::generate(
      generator, out, count, [=](auto* state) { return curand_log_normal(state, mean, stddev); });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out,
                                                    std::size_t count, double mean, double stddev) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return opsmith::gpu::random::generate(generator, out, count, [=](auto* state) {
    return curand_log_normal_double(state, mean, stddev);
  });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out,
                                            std::size_t count, double lambda) {
  return opsmith::gpu::random::generate(generator, out, count,
                                        [=](auto* state) { return curand_poisson(state, lambda); });
}
