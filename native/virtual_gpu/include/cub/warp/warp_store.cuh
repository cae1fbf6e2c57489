#pragma once
#include <cub/warp/warp_exchange.cuh>

CUB_NAMESPACE_BEGIN

enum WarpStoreAlgorithm {
  WARP_STORE_DIRECT,
  WARP_STORE_STRIPED,
  WARP_STORE_VECTORIZE,
  WARP_STORE_TRANSPOSE
};

template <typename T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT,
          int LogicalThreads = 32, int LegacyPtxArch = 0>
class WarpStore {
  using Exchange = WarpExchange<T, Items, LogicalThreads>;
  static constexpr bool transposes = Algorithm == WARP_STORE_TRANSPOSE;
  static constexpr bool striped = transposes || Algorithm == WARP_STORE_STRIPED;

 public:
  using TempStorage = std::conditional_t<transposes, typename Exchange::TempStorage, NullType>;

  explicit WarpStore(TempStorage& storage) : storage_(storage) {}

  template <typename Iterator>
  void Store(Iterator to, T (&items)[Items]) {
    Store(to, items, Items * LogicalThreads);
  }
  template <typename Iterator>
  void Store(Iterator to, T (&items)[Items], int valid_items) {
    if constexpr (transposes) Exchange(storage_).BlockedToStriped(items, items);
    const int rank = static_cast<int>(LaneId() % LogicalThreads);
    for (int i = 0; i < Items; ++i) {
      const int place = striped ? i * LogicalThreads + rank : rank * Items + i;
      if (place < valid_items) to[place] = items[i];
    }
  }

 private:
  TempStorage& storage_;
};

CUB_NAMESPACE_END
