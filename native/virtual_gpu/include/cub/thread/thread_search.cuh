#pragma once
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <typename Iterator, typename Offset, typename T>
Offset LowerBound(Iterator input, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (input[first + half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
template <typename Iterator, typename Offset, typename T>
Offset UpperBound(Iterator input, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (value < input[first + half]) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}

CUB_NAMESPACE_END
