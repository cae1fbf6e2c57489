#pragma once
#include <cub/warp/warp_exchange.cuh>

CUB_NAMESPACE_BEGIN

enum WarpLoadAlgorithm {
  WARP_LOAD_DIRECT,
  WARP_LOAD_STRIPED,
  WARP_LOAD_VECTORIZE,
  WARP_LOAD_TRANSPOSE
};

template <typename T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT,
          int LogicalThreads = 32, int LegacyPtxArch = 0>
class WarpLoad {
  using Exchange = WarpExchange<T, Items, LogicalThreads>;
  static constexpr bool transposes = Algorithm == WARP_LOAD_TRANSPOSE;
  static constexpr bool striped = transposes || Algorithm == WARP_LOAD_STRIPED;

 public:
  using TempStorage = std::conditional_t<transposes, typename Exchange::TempStorage, NullType>;

  explicit WarpLoad(TempStorage& storage) : storage_(storage) {}

  template <typename Iterator>
  void Load(Iterator from, T (&items)[Items]) {
    Load(from, items, Items * LogicalThreads);
  }
  template <typename Iterator>
  void Load(Iterator from, T (&items)[Items], int valid_items) {
    for (int i = 0; i < Items; ++i) {
      if (place(i) < valid_items) items[i] = from[place(i)];
    }
    if constexpr (transposes) Exchange(storage_).StripedToBlocked(items, items);
  }
  template <typename Iterator, typename Default>
  void Load(Iterator from, T (&items)[Items], int valid_items, Default default_value) {
    for (T& item : items)
      item = default_value;
    Load(from, items, valid_items);
  }

 private:
  static int place(int item) {
    const int rank = static_cast<int>(LaneId() % LogicalThreads);
    return striped ? item * LogicalThreads + rank : rank * Items + item;
  }

  TempStorage& storage_;
};

CUB_NAMESPACE_END
