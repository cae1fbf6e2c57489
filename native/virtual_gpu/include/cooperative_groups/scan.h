#pragma once
#include <cooperative_groups.h>
#include <opsmith/gpu/group_operators.h>

namespace cooperative_groups {

template <typename Group, typename T, typename Operator>
auto inclusive_scan(const Group& group, T&& value, Operator&& combine) {
  static_assert(details::is_warp_group<Group>::value,
                "cooperative_groups: inclusive_scan needs a tile or a coalesced group");
  std::decay_t<decltype(combine(value, value))> result = value;
  const unsigned rank = group.thread_rank();
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const auto other = group.shfl_up(result, step);
    if (rank >= step) result = combine(other, result);
  }
  return result;
}

// The first thread receives a value-initialised result.
template <typename Group, typename T, typename Operator>
auto exclusive_scan(const Group& group, T&& value, Operator&& combine) {
  auto result = group.shfl_up(inclusive_scan(group, value, combine), 1);
  if (group.thread_rank() == 0) result = decltype(result){};
  return result;
}

template <typename Group, typename T>
auto inclusive_scan(const Group& group, T&& value) {
  return inclusive_scan(group, value, plus<std::decay_t<T>>{});
}

template <typename Group, typename T>
auto exclusive_scan(const Group& group, T&& value) {
  return exclusive_scan(group, value, plus<std::decay_t<T>>{});
}

namespace details {

// Adds the total of the group to an atomic, and returns its value before that to all.
template <typename Group, typename Atomic, typename T, typename Operator>
T scan_base(const Group& group, Atomic& destination, const T& inclusive, Operator& combine) {
  const unsigned last = group.size() - 1;
  T old{};
  if (group.thread_rank() == last) {
    old = destination.load();
    while (!destination.compare_exchange_weak(old, combine(old, inclusive))) {
    }
  }
  return group.shfl(old, last);
}

}  // namespace details

template <typename Group, typename Atomic, typename T, typename Operator>
auto inclusive_scan_update(const Group& group, Atomic&& destination, T&& value,
                           Operator&& combine) {
  const auto inclusive = inclusive_scan(group, value, combine);
  return combine(details::scan_base(group, destination, inclusive, combine), inclusive);
}

template <typename Group, typename Atomic, typename T, typename Operator>
auto exclusive_scan_update(const Group& group, Atomic&& destination, T&& value,
                           Operator&& combine) {
  const auto inclusive = inclusive_scan(group, value, combine);
  const auto base = details::scan_base(group, destination, inclusive, combine);
  const auto before = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? base : combine(base, before);
}

template <typename Group, typename Atomic, typename T>
auto inclusive_scan_update(const Group& group, Atomic&& destination, T&& value) {
  return inclusive_scan_update(group, destination, value, plus<std::decay_t<T>>{});
}

template <typename Group, typename Atomic, typename T>
auto exclusive_scan_update(const Group& group, Atomic&& destination, T&& value) {
  return exclusive_scan_update(group, destination, value, plus<std::decay_t<T>>{});
}

}  // namespace cooperative_groups
