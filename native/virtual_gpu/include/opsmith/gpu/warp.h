// Barriers and warp operations, under CUDA's names.
#pragma once

#include "opsmith/gpu/device.h"

#define OPSMITH_SITE ::opsmith::gpu::Site site = ::opsmith::gpu::Site::here()

inline void __syncthreads(OPSMITH_SITE) {
  ::opsmith::gpu::barrier(site);
}
inline int __syncthreads_count(int predicate, OPSMITH_SITE) {
  return ::opsmith::gpu::barrier_vote(::opsmith::gpu::Vote::count, predicate != 0, site);
}
inline int __syncthreads_and(int predicate, OPSMITH_SITE) {
  return ::opsmith::gpu::barrier_vote(::opsmith::gpu::Vote::all, predicate != 0, site);
}
inline int __syncthreads_or(int predicate, OPSMITH_SITE) {
  return ::opsmith::gpu::barrier_vote(::opsmith::gpu::Vote::any, predicate != 0, site);
}
inline void __syncwarp(unsigned mask = ::opsmith::gpu::all_lanes, OPSMITH_SITE) {
  ::opsmith::gpu::ballot(mask, false, site);
}
inline unsigned __activemask(OPSMITH_SITE) {
  return ::opsmith::gpu::converged_lanes(site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, OPSMITH_SITE) {
  return ::opsmith::gpu::ballot(mask, predicate != 0, site);
}
inline int __any_sync(unsigned mask, int predicate, OPSMITH_SITE) {
  return ::opsmith::gpu::ballot(mask, predicate != 0, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate, OPSMITH_SITE) {
  return ::opsmith::gpu::ballot(mask, predicate == 0, site) == 0;
}

namespace opsmith::gpu {

/** The lanes that share a segment of `width` lanes with the running one begin here. */
inline unsigned segment_begin(int width) {
  return current->lane & ~(static_cast<unsigned>(width) - 1U);
}

template <typename T>
inline T shuffle_from(unsigned mask, T value, unsigned source, Site site) {
  return from_bits<T>(exchange(mask, to_bits(value), source, site));
}

}  // namespace opsmith::gpu

template <typename T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, OPSMITH_SITE) {
  const unsigned begin = ::opsmith::gpu::segment_begin(width);
  const unsigned source =
      begin | (static_cast<unsigned>(lane) & (static_cast<unsigned>(width) - 1));
  return ::opsmith::gpu::shuffle_from(mask, value, source, site);
}
template <typename T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, OPSMITH_SITE) {
  const unsigned lane = ::opsmith::gpu::current->lane;
  const bool inside = lane >= ::opsmith::gpu::segment_begin(width) + delta;
  return ::opsmith::gpu::shuffle_from(mask, value, inside ? lane - delta : lane, site);
}
template <typename T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, OPSMITH_SITE) {
  const unsigned lane = ::opsmith::gpu::current->lane;
  const unsigned end = ::opsmith::gpu::segment_begin(width) + static_cast<unsigned>(width);
  const bool inside = lane + delta < end;
  return ::opsmith::gpu::shuffle_from(mask, value, inside ? lane + delta : lane, site);
}
template <typename T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, OPSMITH_SITE) {
  const unsigned lane = ::opsmith::gpu::current->lane;
  const unsigned end = ::opsmith::gpu::segment_begin(width) + static_cast<unsigned>(width);
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  return ::opsmith::gpu::shuffle_from(mask, value, source < end ? source : lane, site);
}

// The names of before CUDA 9, without a mask: the lanes that have come together take part.
inline unsigned __ballot(int predicate, OPSMITH_SITE) {
  return __ballot_sync(::opsmith::gpu::converged_lanes(site), predicate, site);
}
inline int __any(int predicate, OPSMITH_SITE) {
  return __any_sync(::opsmith::gpu::converged_lanes(site), predicate, site);
}
inline int __all(int predicate, OPSMITH_SITE) {
  return __all_sync(::opsmith::gpu::converged_lanes(site), predicate, site);
}
template <typename T>
inline T __shfl(T value, int lane, int width = 32, OPSMITH_SITE) {
  return __shfl_sync(::opsmith::gpu::converged_lanes(site), value, lane, width, site);
}
template <typename T>
inline T __shfl_up(T value, unsigned delta, int width = 32, OPSMITH_SITE) {
  return __shfl_up_sync(::opsmith::gpu::converged_lanes(site), value, delta, width, site);
}
template <typename T>
inline T __shfl_down(T value, unsigned delta, int width = 32, OPSMITH_SITE) {
  return __shfl_down_sync(::opsmith::gpu::converged_lanes(site), value, delta, width, site);
}
template <typename T>
inline T __shfl_xor(T value, int lane_mask, int width = 32, OPSMITH_SITE) {
  return __shfl_xor_sync(::opsmith::gpu::converged_lanes(site), value, lane_mask, width, site);
}

// Lanes in step. Programs of before Volta exchange values through volatile shared memory without a
// barrier: all lanes of a warp read before one writes. The rewriter marks what such a program
// assigns. It orders nothing for the checks: since Volta, a __syncwarp() is missing there.
namespace opsmith::gpu {

template <typename T>
inline const volatile void* place_of(T& name) {
  if constexpr (std::is_pointer_v<T> || std::is_array_v<T>)
    return name;
  else
    return &name;
}

/** Waits for the other lanes of the warp, if the variable lies in shared memory. */
template <typename T>
inline void in_step(T& name, OPSMITH_SITE) {
  if (is_shared(place_of(name))) converged_lanes(site);
}
/** The same after the value was read, and gives it. */
template <typename T, typename Value>
inline Value read_in_step(T& name, Value value, OPSMITH_SITE) {
  if (is_shared(place_of(name))) converged_lanes(site);
  return value;
}

}  // namespace opsmith::gpu

template <typename T>
inline unsigned __match_any_sync(unsigned mask, T value, OPSMITH_SITE) {
  std::uint64_t values[::opsmith::gpu::lanes_of_warp];
  const std::uint64_t mine = ::opsmith::gpu::to_bits(value);
  const unsigned present = ::opsmith::gpu::exchange_all(mask, mine, values, site);
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((present >> lane & 1U) != 0 && values[lane] == mine) same |= 1U << lane;
  return same;
}
template <typename T>
inline unsigned __match_all_sync(unsigned mask, T value, int* predicate, OPSMITH_SITE) {
  std::uint64_t values[::opsmith::gpu::lanes_of_warp];
  const std::uint64_t mine = ::opsmith::gpu::to_bits(value);
  const unsigned present = ::opsmith::gpu::exchange_all(mask, mine, values, site);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((present >> lane & 1U) == 0 || values[lane] == mine) continue;
    *predicate = 0;
    return 0;
  }
  *predicate = 1;
  return mask;
}

namespace opsmith::gpu {

template <typename T, typename Combine>
inline T reduce_lanes(unsigned mask, T value, Site site, Combine combine) {
  std::uint64_t values[lanes_of_warp];
  const unsigned present = exchange_all(mask, to_bits(value), values, site);
  bool first = true;
  T result = value;
  for (unsigned lane = 0; lane < lanes_of_warp; ++lane) {
    if ((present >> lane & 1U) == 0) continue;
    const T other = from_bits<T>(values[lane]);
    result = first ? other : combine(result, other);
    first = false;
  }
  return result;
}

}  // namespace opsmith::gpu

inline unsigned __reduce_add_sync(unsigned mask, unsigned value, OPSMITH_SITE) {
  return ::opsmith::gpu::reduce_lanes(mask, value, site,
                                      [](unsigned a, unsigned b) { return a + b; });
}
inline int __reduce_add_sync(unsigned mask, int value, OPSMITH_SITE) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value), site));
}
template <typename T>
inline T __reduce_min_sync(unsigned mask, T value, OPSMITH_SITE) {
  return ::opsmith::gpu::reduce_lanes(mask, value, site, [](T a, T b) { return b < a ? b : a; });
}
template <typename T>
inline T __reduce_max_sync(unsigned mask, T value, OPSMITH_SITE) {
  return ::opsmith::gpu::reduce_lanes(mask, value, site, [](T a, T b) { return a < b ? b : a; });
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, OPSMITH_SITE) {
  return ::opsmith::gpu::reduce_lanes(mask, value, site,
                                      [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, OPSMITH_SITE) {
  return ::opsmith::gpu::reduce_lanes(mask, value, site,
                                      [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, OPSMITH_SITE) {
  return ::opsmith::gpu::reduce_lanes(mask, value, site,
                                      [](unsigned a, unsigned b) { return a ^ b; });
}

inline void __threadfence() {
  ::opsmith::gpu::fence(1);
}
inline void __threadfence_block() {
  ::opsmith::gpu::fence(0);
}
inline void __threadfence_system() {
  ::opsmith::gpu::fence(2);
}
inline void __nanosleep(unsigned) {
  ::opsmith::gpu::yield();
}
inline long long clock64() {
  return ::opsmith::gpu::clock_cycles();
}
inline unsigned long long globaltimer() {
  return ::opsmith::gpu::global_nanoseconds();
}
inline void __trap(OPSMITH_SITE) {
  ::opsmith::gpu::trap(site);
}
inline void __brkpt(OPSMITH_SITE) {
  ::opsmith::gpu::trap(site);
}
inline unsigned __lane_id() {
  return ::opsmith::gpu::current->lane;
}

template <typename T>
inline T __ldg(const T* address) {
  return *address;
}
template <typename T>
inline T __ldcg(const T* address) {
  return *address;
}
template <typename T>
inline T __ldca(const T* address) {
  return *address;
}
template <typename T>
inline T __ldcs(const T* address) {
  return *address;
}
template <typename T>
inline T __ldlu(const T* address) {
  return *address;
}
template <typename T>
inline T __ldcv(const T* address) {
  return *static_cast<const volatile T*>(address);
}
template <typename T>
inline void __stwb(T* address, T value) {
  *address = value;
}
template <typename T>
inline void __stcg(T* address, T value) {
  *address = value;
}
template <typename T>
inline void __stcs(T* address, T value) {
  *address = value;
}
template <typename T>
inline void __stwt(T* address, T value) {
  *static_cast<volatile T*>(address) = value;
}
