#pragma once
#include <cooperative_groups.h>
#include <opsmith/gpu/group_operators.h>

namespace cooperative_groups {

// All threads of the group receive the result. Values are combined in the order of ranks.
template <typename Group, typename T, typename Operator>
auto reduce(const Group& group, T&& value, Operator&& combine) {
  static_assert(details::is_warp_group<Group>::value,
                "cooperative_groups: reduce needs a tile or a coalesced group");
  std::decay_t<decltype(combine(value, value))> result = value;
  const unsigned rank = group.thread_rank();
  const unsigned size = group.size();
  for (unsigned step = 1; step < size; step *= 2) {
    const auto other = group.shfl_down(result, step);
    if (rank % (2 * step) == 0 && rank + step < size) result = combine(result, other);
  }
  return group.shfl(result, 0);
}

// The stores and updates are not asynchronous here. The destination is a pointer or an atomic.
template <typename Group, typename Destination, typename T, typename Operator>
void reduce_store_async(const Group& group, Destination&& destination, T&& value,
                        Operator&& combine) {
  const auto result = reduce(group, value, combine);
  if (group.thread_rank() != 0) return;
  if constexpr (std::is_pointer_v<std::decay_t<Destination>>) {
    *destination = result;
  } else {
    destination.store(result);
  }
}

template <typename Group, typename Atomic, typename T, typename Operator>
void reduce_update_async(const Group& group, Atomic&& destination, T&& value, Operator&& combine) {
  const auto result = reduce(group, value, combine);
  if (group.thread_rank() == 0) {
    auto old = destination.load();
    while (!destination.compare_exchange_weak(old, combine(old, result))) {
    }
  }
}

}  // namespace cooperative_groups
