// CUDA's atomic functions. They are the host's atomics: blocks may run on several OS threads.
// Floating-point sums, minimum and maximum of signed and half types, and what wraps around go
// through compare-and-swap.
#pragma once

#include "opsmith/gpu/device.h"

/** Part of its caller, so that the checks see the caller's line. */
#define OPSMITH_INLINE inline __attribute__((always_inline))

namespace opsmith::gpu {

/** The unsigned integer of as many bytes as T. */
template <typename T>
using BitsOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/** Replaces *address by change(*address) in one step, and gives what was there. */
template <typename T, typename Change>
OPSMITH_INLINE T update_atomically(T* address, Change change) {
  using Bits = BitsOf<T>;
  static_assert(sizeof(T) == sizeof(Bits));
  checked_atomic(address, sizeof(T), AtomicKind::update);
  auto* bits = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (true) {
    T old;
    std::memcpy(&old, &seen, sizeof(T));
    const T next = change(old);
    Bits wanted;
    std::memcpy(&wanted, &next, sizeof(T));
    if (__atomic_compare_exchange_n(bits, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return old;
  }
}

/** The read before a loop of atomicCAS: the loop turns once more if the value is old. */
template <typename T>
OPSMITH_INLINE T read_for_swap(const volatile T* address) {
  checked_atomic(address, sizeof(T), AtomicKind::load);
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}

template <typename T>
OPSMITH_INLINE T exchange_atomically(T* address, T value) {
  using Bits = BitsOf<T>;
  checked_atomic(address, sizeof(T), AtomicKind::update);
  Bits bits;
  std::memcpy(&bits, &value, sizeof(T));
  const Bits old = __atomic_exchange_n(reinterpret_cast<Bits*>(address), bits, __ATOMIC_SEQ_CST);
  // Taking a lock that is taken changes nothing: whoever holds it must go on.
  if (old == bits) polled();
  T result;
  std::memcpy(&result, &old, sizeof(T));
  return result;
}

template <typename T>
OPSMITH_INLINE T compare_and_swap(T* address, T expected, T value) {
  using Bits = BitsOf<T>;
  checked_atomic(address, sizeof(T), AtomicKind::update);
  Bits seen;
  Bits wanted;
  std::memcpy(&seen, &expected, sizeof(T));
  std::memcpy(&wanted, &value, sizeof(T));
  if (!__atomic_compare_exchange_n(reinterpret_cast<Bits*>(address), &seen, wanted, false,
                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    polled();
  T result;
  std::memcpy(&result, &seen, sizeof(T));
  return result;
}

/** An addition of zero is how CUDA programs read atomically, often in a loop. */
template <typename T>
OPSMITH_INLINE T add_atomically(T* address, T value) {
  if constexpr (std::is_integral_v<T>) {
    // Before the look: what others do meanwhile comes before it.
    if (value == 0) polled();
    checked_atomic(address, sizeof(T), AtomicKind::update);
    return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
  } else {
    return update_atomically(address, [value](T old) { return static_cast<T>(old + value); });
  }
}

}  // namespace opsmith::gpu

// The scopes differ in speed only: every atomic here is one of the whole system.
#define OPSMITH_ATOMIC_SCOPES(name, parameters, arguments, type) \
  OPSMITH_INLINE type name##_block parameters {                  \
    return name arguments;                                       \
  }                                                              \
  OPSMITH_INLINE type name##_system parameters {                 \
    return name arguments;                                       \
  }

#define OPSMITH_ATOMIC_ADD(type)                             \
  OPSMITH_INLINE type atomicAdd(type* address, type value) { \
    return ::opsmith::gpu::add_atomically(address, value);   \
  }                                                          \
  OPSMITH_ATOMIC_SCOPES(atomicAdd, (type * address, type value), (address, value), type)
OPSMITH_ATOMIC_ADD(int)
OPSMITH_ATOMIC_ADD(unsigned)
OPSMITH_ATOMIC_ADD(unsigned long long)
OPSMITH_ATOMIC_ADD(float)
OPSMITH_ATOMIC_ADD(double)
#undef OPSMITH_ATOMIC_ADD

OPSMITH_INLINE float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
OPSMITH_INLINE float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
          atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}

#define OPSMITH_ATOMIC_SUB(type)                                                  \
  OPSMITH_INLINE type atomicSub(type* address, type value) {                      \
    return ::opsmith::gpu::add_atomically(address, static_cast<type>(0 - value)); \
  }                                                                               \
  OPSMITH_ATOMIC_SCOPES(atomicSub, (type * address, type value), (address, value), type)
OPSMITH_ATOMIC_SUB(int)
OPSMITH_ATOMIC_SUB(unsigned)
#undef OPSMITH_ATOMIC_SUB

#define OPSMITH_ATOMIC_EXCHANGE(type)                           \
  OPSMITH_INLINE type atomicExch(type* address, type value) {   \
    return ::opsmith::gpu::exchange_atomically(address, value); \
  }                                                             \
  OPSMITH_ATOMIC_SCOPES(atomicExch, (type * address, type value), (address, value), type)
OPSMITH_ATOMIC_EXCHANGE(int)
OPSMITH_ATOMIC_EXCHANGE(unsigned)
OPSMITH_ATOMIC_EXCHANGE(unsigned long long)
OPSMITH_ATOMIC_EXCHANGE(float)
#undef OPSMITH_ATOMIC_EXCHANGE

#define OPSMITH_ATOMIC_CAS(type)                                               \
  OPSMITH_INLINE type atomicCAS(type* address, type compare, type value) {     \
    return ::opsmith::gpu::compare_and_swap(address, compare, value);          \
  }                                                                            \
  OPSMITH_ATOMIC_SCOPES(atomicCAS, (type * address, type compare, type value), \
                        (address, compare, value), type)
OPSMITH_ATOMIC_CAS(int)
OPSMITH_ATOMIC_CAS(unsigned)
OPSMITH_ATOMIC_CAS(unsigned long long)
OPSMITH_ATOMIC_CAS(unsigned short)
#undef OPSMITH_ATOMIC_CAS

#define OPSMITH_ATOMIC_UPDATE(name, type, expression)                                           \
  OPSMITH_INLINE type name(type* address, type value) {                                         \
    return ::opsmith::gpu::update_atomically(address,                                           \
                                             [value](type old) -> type { return expression; }); \
  }                                                                                             \
  OPSMITH_ATOMIC_SCOPES(name, (type * address, type value), (address, value), type)
#define OPSMITH_ATOMIC_INTEGERS(name, expression)   \
  OPSMITH_ATOMIC_UPDATE(name, int, expression)      \
  OPSMITH_ATOMIC_UPDATE(name, unsigned, expression) \
  OPSMITH_ATOMIC_UPDATE(name, unsigned long long, expression)
OPSMITH_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
OPSMITH_ATOMIC_INTEGERS(atomicMax, old < value ? value : old)
OPSMITH_ATOMIC_UPDATE(atomicMin, long long, value < old ? value : old)
OPSMITH_ATOMIC_UPDATE(atomicMax, long long, old < value ? value : old)
OPSMITH_ATOMIC_INTEGERS(atomicAnd, old& value)
OPSMITH_ATOMIC_INTEGERS(atomicOr, old | value)
OPSMITH_ATOMIC_INTEGERS(atomicXor, old ^ value)
OPSMITH_ATOMIC_UPDATE(atomicInc, unsigned, old >= value ? 0U : old + 1U)
OPSMITH_ATOMIC_UPDATE(atomicDec, unsigned, old == 0 || old > value ? value : old - 1U)
#undef OPSMITH_ATOMIC_INTEGERS
#undef OPSMITH_ATOMIC_UPDATE
#undef OPSMITH_ATOMIC_SCOPES
