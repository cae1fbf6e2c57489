// What the rewriter writes after the declaration of a local variable without a value. In a checked
// build the runtime knows which of its bytes were written; in other builds it means nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "opsmith/gpu/device.h"
#include "vector_types.h"

namespace opsmith::gpu {

/** A local variable of a thread, from its declaration to the end of its scope. */
struct LocalRange {
  LocalRange* outer;
  const std::byte* begin;
  std::size_t bytes;
  std::uint64_t* written;  // a bit for each byte
  const char* name;
  std::size_t element_bytes;
  bool is_array;
  Site site;
};

/** Outside of kernels they do nothing. */
void begin_local(LocalRange& local);
void end_local(const LocalRange& local);

template <typename T, typename... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

/**
 * Whether each byte of a value counts. The bytes between the members of a struct may be copied
 * without a value.
 */
template <typename T>
inline constexpr bool is_without_gaps =
    std::is_trivially_default_constructible_v<T> &&
    (std::is_scalar_v<T> || std::has_unique_object_representations_v<T> ||
     is_one_of<T, float2, float3, float4, double2, double3, double4>);

/** Lives as long as the variable, and is destroyed before it. */
template <typename T, bool = is_without_gaps<std::remove_all_extents_t<T>> &&
                             (std::is_array_v<T> || std::is_arithmetic_v<T>)>
class LocalValue {
 public:
  LocalValue(const T&, const char*) {}
};

template <typename T>
class LocalValue<T, true> {
 public:
  __attribute__((always_inline)) LocalValue(const T& value, const char* name,
                                            Site site = Site::here())
      : range_{nullptr, reinterpret_cast<const std::byte*>(&value), sizeof(T),          written_,
               name,    sizeof(std::remove_all_extents_t<T>),       std::is_array_v<T>, site} {
    begin_local(range_);
  }
  __attribute__((always_inline)) ~LocalValue() { end_local(range_); }
  LocalValue(const LocalValue&) = delete;
  LocalValue& operator=(const LocalValue&) = delete;

 private:
  LocalRange range_;
  std::uint64_t written_[(sizeof(T) + 63) / 64];
};

/** The same array, of which clang does not know that it is local: it instruments each access. */
template <typename T, std::size_t size>
inline __attribute__((always_inline)) T (&hidden(T (&array)[size]))[size] {
  T(*address)[size] = &array;
  asm volatile("" : "+r"(address));
  return *address;
}

}  // namespace opsmith::gpu

#ifdef OPSMITH_GPU_LOCALS
#define OPSMITH_LOCAL(name)                                                \
  [[maybe_unused]] const ::opsmith::gpu::LocalValue opsmith_local_##name { \
    name, #name                                                            \
  }
#define OPSMITH_ARRAY(name) opsmith_array_##name
#define OPSMITH_LOCAL_ARRAY(name)                                                              \
  [[maybe_unused]] const ::opsmith::gpu::LocalValue opsmith_local_##name{opsmith_array_##name, \
                                                                         #name};               \
  [[maybe_unused]] auto& name = ::opsmith::gpu::hidden(opsmith_array_##name)
#else
#define OPSMITH_LOCAL(name) static_assert(true)
#define OPSMITH_ARRAY(name) name
#define OPSMITH_LOCAL_ARRAY(name) static_assert(true)
#endif
