#pragma once
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <typename Numerator, typename Denominator>
constexpr auto DivideAndRoundUp(Numerator n, Denominator d) {
  return n / d + (n % d != 0 ? 1 : 0);
}

CUB_NAMESPACE_END
