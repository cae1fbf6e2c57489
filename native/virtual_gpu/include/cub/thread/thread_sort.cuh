#pragma once
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

// Sorts a thread's items; equal ones keep their order.
template <typename Key, typename Value, typename Compare, int Items>
void StableOddEvenSort(Key (&keys)[Items], Value (&values)[Items], Compare less) {
  for (int i = 1; i < Items; ++i) {
    const Key key = keys[i];
    const Value value = values[i];
    int at = i;
    for (; at > 0 && less(key, keys[at - 1]); --at) {
      keys[at] = keys[at - 1];
      values[at] = values[at - 1];
    }
    keys[at] = key;
    values[at] = value;
  }
}

CUB_NAMESPACE_END
