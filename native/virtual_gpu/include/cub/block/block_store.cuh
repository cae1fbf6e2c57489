#pragma once
#include <cub/block/block_exchange.cuh>

CUB_NAMESPACE_BEGIN

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <typename T, int Items, typename Iterator>
void StoreDirectBlocked(int thread, Iterator to, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i)
    to[thread * Items + i] = items[i];
}
template <typename T, int Items, typename Iterator>
void StoreDirectBlocked(int thread, Iterator to, T (&items)[Items], int valid_items) {
  for (int i = 0; i < Items; ++i) {
    if (thread * Items + i < valid_items) to[thread * Items + i] = items[i];
  }
}
template <typename T, int Items>
void StoreDirectBlockedVectorized(int thread, T* to, T (&items)[Items]) {
  StoreDirectBlocked(thread, to, items);
}
template <int Threads, typename T, int Items, typename Iterator>
void StoreDirectStriped(int thread, Iterator to, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i)
    to[i * Threads + thread] = items[i];
}
template <int Threads, typename T, int Items, typename Iterator>
void StoreDirectStriped(int thread, Iterator to, T (&items)[Items], int valid_items) {
  for (int i = 0; i < Items; ++i) {
    if (i * Threads + thread < valid_items) to[i * Threads + thread] = items[i];
  }
}
template <typename T, int Items, typename Iterator>
void StoreDirectWarpStriped(int thread, Iterator to, T (&items)[Items]) {
  const int first = thread / 32 * 32 * Items + thread % 32;
  for (int i = 0; i < Items; ++i)
    to[first + i * 32] = items[i];
}
template <typename T, int Items, typename Iterator>
void StoreDirectWarpStriped(int thread, Iterator to, T (&items)[Items], int valid_items) {
  const int first = thread / 32 * 32 * Items + thread % 32;
  for (int i = 0; i < Items; ++i) {
    if (first + i * 32 < valid_items) to[first + i * 32] = items[i];
  }
}

template <typename T, int BlockX, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT,
          int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockStore {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  using Exchange = BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>;
  static constexpr bool by_block = Algorithm == BLOCK_STORE_TRANSPOSE;
  static constexpr bool by_warp =
      Algorithm == BLOCK_STORE_WARP_TRANSPOSE || Algorithm == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED;
  static_assert(!by_warp || shape::threads % 32 == 0,
                "cub: BlockStore by warps needs a block of whole warps");
  using Storage = std::conditional_t<by_block || by_warp, typename Exchange::TempStorage, NullType>;

 public:
  static constexpr BlockStoreAlgorithm ALGORITHM = Algorithm;
  OPSMITH_CUB_BLOCK_STORAGE(BlockStore, Storage)

  template <typename Iterator>
  void Store(Iterator to, T (&items)[Items]) {
    Store(to, items, Items * shape::threads);
  }
  template <typename Iterator>
  void Store(Iterator to, T (&items)[Items], int valid_items) {
    if constexpr (by_block) {
      Exchange(storage_).BlockedToStriped(items, items);
      StoreDirectStriped<shape::threads>(shape::rank(), to, items, valid_items);
    } else if constexpr (by_warp) {
      Exchange(storage_).BlockedToWarpStriped(items, items);
      StoreDirectWarpStriped(shape::rank(), to, items, valid_items);
    } else if constexpr (Algorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<shape::threads>(shape::rank(), to, items, valid_items);
    } else {
      StoreDirectBlocked(shape::rank(), to, items, valid_items);
    }
  }

 private:
  Storage& storage_;
};

CUB_NAMESPACE_END
