// The operators of cooperative_groups' reductions and scans.
#pragma once

namespace cooperative_groups {

#define OPSMITH_GROUP_OPERATOR(NAME, RESULT)     \
  template <typename T>                          \
  struct NAME {                                  \
    T operator()(const T& a, const T& b) const { \
      return static_cast<T>(RESULT);             \
    }                                            \
  };
OPSMITH_GROUP_OPERATOR(plus, a + b)
OPSMITH_GROUP_OPERATOR(less, b < a ? b : a)
OPSMITH_GROUP_OPERATOR(greater, a < b ? b : a)
OPSMITH_GROUP_OPERATOR(bit_and, a& b)
OPSMITH_GROUP_OPERATOR(bit_or, a | b)
OPSMITH_GROUP_OPERATOR(bit_xor, a ^ b)
#undef OPSMITH_GROUP_OPERATOR

namespace details {

template <typename Group>
struct is_warp_group {
  static constexpr bool value = false;
};
template <>
struct is_warp_group<coalesced_group> {
  static constexpr bool value = true;
};
template <unsigned Size, typename Parent>
struct is_warp_group<thread_block_tile<Size, Parent>> {
  static constexpr bool value = true;
};

}  // namespace details
}  // namespace cooperative_groups
