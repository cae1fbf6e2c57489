// Keys of radix sorts as unsigned numbers in the same order.
#pragma once
#include <cstdint>
#include <type_traits>

namespace opsmith::gpu {

template <unsigned Bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};
template <>
struct unsigned_of<16> {
  using type = unsigned __int128;
};

// float, double, and the types of half that convert to float.
template <typename T>
inline constexpr bool is_float_key =
    std::is_floating_point_v<T> || (!std::is_integral_v<T> && !std::is_enum_v<T> &&
                                    sizeof(T) == 2 && std::is_convertible_v<T, float>);

template <typename T>
struct radix_key {
  static_assert(
      std::is_integral_v<T> || is_float_key<T> || sizeof(T) == 16,
      "cub: this radix sort is not supported on the virtual GPU: the keys must be numbers");
  using bits = typename unsigned_of<sizeof(T)>::type;
  static constexpr bits sign = static_cast<bits>(bits{1} << (sizeof(T) * 8 - 1));

  // Zeros of both signs are equal.
  static bits of(const T& key) {
    bits value;
    __builtin_memcpy(&value, &key, sizeof(T));
    if constexpr (is_float_key<T>) {
      if (value == sign) value = 0;
      return value & sign ? static_cast<bits>(~value) : static_cast<bits>(value | sign);
    } else if constexpr (std::is_signed_v<T> || std::is_same_v<T, __int128>) {
      return static_cast<bits>(value ^ sign);
    } else {
      return value;
    }
  }

  // The bits that order the key, lowest first.
  static bits digit(const T& key, int begin_bit, int end_bit, bool descending) {
    bits value = of(key);
    if (descending) value = static_cast<bits>(~value);
    value = static_cast<bits>(value >> begin_bit);
    const int width = end_bit - begin_bit;
    if (width >= static_cast<int>(sizeof(T) * 8)) return value;
    return static_cast<bits>(value & ((bits{1} << width) - 1));
  }
};

}  // namespace opsmith::gpu
