#pragma once
#include <cub/thread/thread_operators.cuh>

CUB_NAMESPACE_BEGIN

template <typename T, std::size_t Items, typename Operator>
T ThreadReduce(const T (&input)[Items], Operator op) {
  T result = input[0];
  for (std::size_t i = 1; i < Items; ++i)
    result = op(result, input[i]);
  return result;
}
template <typename T, std::size_t Items, typename Operator, typename Prefix>
Prefix ThreadReduce(const T (&input)[Items], Operator op, Prefix prefix) {
  for (std::size_t i = 0; i < Items; ++i)
    prefix = op(prefix, input[i]);
  return prefix;
}
namespace internal {
using CUB_NS_QUALIFIER::ThreadReduce;
}

CUB_NAMESPACE_END
