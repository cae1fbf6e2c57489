#pragma once
#include <cub/util_ptx.cuh>

CUB_NAMESPACE_BEGIN

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <typename T, int Items, int LogicalThreads = 32, int LegacyPtxArch = 0,
          WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
  struct Items_ {
    T items[Items * LogicalThreads];
  };

 public:
  struct TempStorage : Uninitialized<Items_> {};

  explicit WarpExchange(TempStorage& storage) : items_(storage.Alias().items) {}

  template <typename Output>
  void BlockedToStriped(const T (&input)[Items], Output (&output)[Items]) {
    for (int i = 0; i < Items; ++i)
      items_[rank() * Items + i] = input[i];
    sync();
    for (int i = 0; i < Items; ++i)
      output[i] = items_[i * LogicalThreads + rank()];
  }
  template <typename Output>
  void StripedToBlocked(const T (&input)[Items], Output (&output)[Items]) {
    for (int i = 0; i < Items; ++i)
      items_[i * LogicalThreads + rank()] = input[i];
    sync();
    for (int i = 0; i < Items; ++i)
      output[i] = items_[rank() * Items + i];
  }
  template <typename Offset>
  void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }
  template <typename Output, typename Offset>
  void ScatterToStriped(const T (&input)[Items], Output (&output)[Items], Offset (&ranks)[Items]) {
    for (int i = 0; i < Items; ++i)
      items_[ranks[i]] = input[i];
    sync();
    for (int i = 0; i < Items; ++i)
      output[i] = items_[i * LogicalThreads + rank()];
  }

 private:
  static int rank() { return static_cast<int>(LaneId() % LogicalThreads); }
  static void sync() { __syncwarp(detail::present_lanes<LogicalThreads>()); }

  T* items_;
};

CUB_NAMESPACE_END
