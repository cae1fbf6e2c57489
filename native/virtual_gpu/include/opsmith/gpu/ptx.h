// What inline PTX becomes where it is more than an expression of C++.
#pragma once

#include "opsmith/gpu/device.h"

namespace opsmith::gpu::ptx {

/** Bit field extract, as PTX's bfe.u32. */
inline unsigned bfe(unsigned value, unsigned position, unsigned length) {
  position &= 0xffU;
  length &= 0xffU;
  if (length == 0 || position >= 32) return 0;
  const unsigned shifted = value >> position;
  return length >= 32 ? shifted : shifted & ((1U << length) - 1U);
}

/** Bit field insert, as PTX's bfi.b32. */
inline unsigned bfi(unsigned field, unsigned value, unsigned position, unsigned length) {
  position &= 0xffU;
  length &= 0xffU;
  if (length == 0 || position >= 32) return value;
  const unsigned ones = length >= 32 ? ~0U : (1U << length) - 1U;
  const unsigned mask = ones << position;
  return (value & ~mask) | (field << position & mask);
}

/** A load that others may wait with: ld.volatile, ld.acquire, ld.relaxed. */
template <typename T, typename Address>
inline void load(T& to, Address address) {
  const T* from = nullptr;
  if constexpr (std::is_pointer_v<Address>)
    from = reinterpret_cast<const T*>(const_cast<const void*>(static_cast<const volatile void*>(address)));
  else
    from = reinterpret_cast<const T*>(address);
  checked_atomic(from, sizeof(T), AtomicKind::load);
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const Bits bits = __atomic_load_n(reinterpret_cast<const Bits*>(from), __ATOMIC_ACQUIRE);
  std::memcpy(&to, &bits, sizeof(T));
  polled();
}

/** st.volatile, st.release, st.relaxed. */
template <typename Address, typename T>
inline void store(Address address, T value) {
  T* to = nullptr;
  if constexpr (std::is_pointer_v<Address>)
    to = reinterpret_cast<T*>(const_cast<void*>(static_cast<const volatile void*>(address)));
  else
    to = reinterpret_cast<T*>(address);
  checked_atomic(to, sizeof(T), AtomicKind::store);
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  Bits bits;
  std::memcpy(&bits, &value, sizeof(T));
  __atomic_store_n(reinterpret_cast<Bits*>(to), bits, __ATOMIC_RELEASE);
}

}  // namespace opsmith::gpu::ptx
