#pragma once
#include <opsmith/gpu/cub_merge_sort.h>

CUB_NAMESPACE_BEGIN

namespace detail {

template <int LogicalThreads>
struct warp_team {
  static constexpr int threads = LogicalThreads;
  static int rank() { return static_cast<int>(LaneId() % LogicalThreads); }
  static void sync() { __syncwarp(present_lanes<LogicalThreads>()); }
};

}  // namespace detail

template <typename Key, int Items, int LogicalThreads = 32, typename Value = NullType,
          int LegacyPtxArch = 0>
class WarpMergeSort
    : public detail::merge_sort_calls<Key, Value, Items, detail::warp_team<LogicalThreads>> {
  using Calls = detail::merge_sort_calls<Key, Value, Items, detail::warp_team<LogicalThreads>>;

 public:
  struct TempStorage : Uninitialized<typename Calls::Storage> {};
  explicit WarpMergeSort(TempStorage& storage) : Calls(storage.Alias()) {}
};

CUB_NAMESPACE_END
