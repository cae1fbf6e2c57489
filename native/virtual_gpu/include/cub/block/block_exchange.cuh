#pragma once
#include <opsmith/gpu/cub_block.h>

CUB_NAMESPACE_BEGIN

template <typename T, int BlockX, int Items, bool WarpTimeSlicing = false, int BlockY = 1,
          int BlockZ = 1, int LegacyPtxArch = 0>
class BlockExchange {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  struct All {
    T items[Items * shape::threads];
  };

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockExchange, All)

  template <typename Output>
  void StripedToBlocked(const T (&input)[Items], Output (&output)[Items]) {
    exchange(input, output, striped, blocked);
  }
  template <typename Output>
  void BlockedToStriped(const T (&input)[Items], Output (&output)[Items]) {
    exchange(input, output, blocked, striped);
  }
  template <typename Output>
  void WarpStripedToBlocked(const T (&input)[Items], Output (&output)[Items]) {
    exchange_in_warp(input, output, warp_striped, blocked);
  }
  template <typename Output>
  void BlockedToWarpStriped(const T (&input)[Items], Output (&output)[Items]) {
    exchange_in_warp(input, output, blocked, warp_striped);
  }
  template <typename Output, typename Offset>
  void ScatterToBlocked(const T (&input)[Items], Output (&output)[Items], Offset (&ranks)[Items]) {
    exchange(input, output, [&](int i) { return ranks[i]; }, blocked);
  }
  template <typename Output, typename Offset>
  void ScatterToStriped(const T (&input)[Items], Output (&output)[Items], Offset (&ranks)[Items]) {
    exchange(input, output, [&](int i) { return ranks[i]; }, striped);
  }
  // Items with a negative rank go nowhere.
  template <typename Output, typename Offset>
  void ScatterToStripedGuarded(const T (&input)[Items], Output (&output)[Items],
                               Offset (&ranks)[Items]) {
    scatter_some(input, output, ranks, [&](int i) { return ranks[i] >= 0; });
  }
  template <typename Output, typename Offset, typename Valid>
  void ScatterToStripedFlagged(const T (&input)[Items], Output (&output)[Items],
                               Offset (&ranks)[Items], Valid (&valid)[Items]) {
    scatter_some(input, output, ranks, [&](int i) { return static_cast<bool>(valid[i]); });
  }

  void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }
  void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
  void WarpStripedToBlocked(T (&items)[Items]) { WarpStripedToBlocked(items, items); }
  void BlockedToWarpStriped(T (&items)[Items]) { BlockedToWarpStriped(items, items); }
  template <typename Offset>
  void ScatterToBlocked(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToBlocked(items, items, ranks);
  }
  template <typename Offset>
  void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  static int blocked(int i) { return shape::rank() * Items + i; }
  static int striped(int i) { return i * shape::threads + shape::rank(); }
  // The items of a warp are together; a short last warp has a shorter stride.
  static int warp_striped(int i) {
    const int first = shape::rank() / 32 * 32;
    const int lanes = shape::threads - first < 32 ? shape::threads - first : 32;
    return first * Items + i * lanes + shape::rank() % 32;
  }

  template <typename Output, typename From, typename To>
  void exchange(const T (&input)[Items], Output (&output)[Items], From from, To to) {
    for (int i = 0; i < Items; ++i)
      storage_.items[from(i)] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i)
      output[i] = storage_.items[to(i)];
  }
  template <typename Output, typename From, typename To>
  void exchange_in_warp(const T (&input)[Items], Output (&output)[Items], From from, To to) {
    for (int i = 0; i < Items; ++i)
      storage_.items[from(i)] = input[i];
    __syncwarp(detail::present_lanes<32>());
    for (int i = 0; i < Items; ++i)
      output[i] = storage_.items[to(i)];
  }
  template <typename Output, typename Offset, typename Valid>
  void scatter_some(const T (&input)[Items], Output (&output)[Items], Offset (&ranks)[Items],
                    Valid valid) {
    for (int i = 0; i < Items; ++i) {
      if (valid(i)) storage_.items[ranks[i]] = input[i];
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i)
      output[i] = storage_.items[striped(i)];
  }

  All& storage_;
};

CUB_NAMESPACE_END
