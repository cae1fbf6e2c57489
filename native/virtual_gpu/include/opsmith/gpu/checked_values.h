// What the rewriter puts around indices and addresses. In a checked build they are compared with
// what they should be; in other builds they are what they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

/**
 * A value in a computation that does not overflow. What is unsigned may hold a negative number, as
 * `row - 1` does in the first row.
 */
template <typename T>
constexpr auto wide(const T& value) {
  if constexpr (std::is_same_v<T, unsigned>)
    return static_cast<std::int64_t>(static_cast<std::int32_t>(value));
  else
    return value;
}

void report_misaligned(std::size_t alignment, Site site);
void report_index_overflow(Site site);

#ifdef OPSMITH_GPU_CHECKED

/** An address whose object is used at once. clang checks the alignment of numbers itself. */
template <typename T>
inline __attribute__((always_inline)) T* dereferenced(T* address, Site site = Site::here()) {
  if constexpr (std::is_class_v<T>) {
    if (reinterpret_cast<std::uintptr_t>(address) % alignof(T) != 0)
      report_misaligned(alignof(T), site);
  }
  return address;
}

/**
 * @param value as the program computes it
 * @param exact the same in 64 bits
 */
template <typename Index, typename Value, typename Exact>
inline __attribute__((always_inline)) Value checked_index(Value value, Exact exact,
                                                          Site site = Site::here()) {
  if constexpr (std::is_integral_v<Value> && std::is_integral_v<Exact>) {
    if (static_cast<std::int64_t>(static_cast<Index>(value)) != static_cast<std::int64_t>(exact))
      report_index_overflow(site);
  }
  return value;
}

#define OPSMITH_INDEX(type, value, exact) ::opsmith::gpu::checked_index<type>(value, exact)

#else

template <typename T>
constexpr __attribute__((always_inline)) T* dereferenced(T* address) {
  return address;
}

#define OPSMITH_INDEX(type, value, exact) (value)

#endif

}  // namespace opsmith::gpu
