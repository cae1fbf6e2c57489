#pragma once
#include <cub/thread/thread_operators.cuh>

CUB_NAMESPACE_BEGIN

namespace internal {

template <int Items, typename T, typename Operator>
T ThreadScanInclusive(T (&input)[Items], T (&output)[Items], Operator op) {
  T running = input[0];
  output[0] = running;
  for (int i = 1; i < Items; ++i)
    output[i] = running = op(running, input[i]);
  return running;
}
template <int Items, typename T, typename Operator>
T ThreadScanExclusive(T (&input)[Items], T (&output)[Items], Operator op, T prefix,
                      bool apply_prefix = true) {
  T running = input[0];
  if (apply_prefix) running = op(prefix, running);
  output[0] = prefix;
  for (int i = 1; i < Items; ++i) {
    const T next = op(running, input[i]);
    output[i] = running;
    running = next;
  }
  return running;
}

}  // namespace internal

CUB_NAMESPACE_END
