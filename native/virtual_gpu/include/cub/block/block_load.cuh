#pragma once
#include <cub/block/block_exchange.cuh>

CUB_NAMESPACE_BEGIN

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

template <typename T, int Items, typename Iterator>
void LoadDirectBlocked(int thread, Iterator from, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i)
    items[i] = from[thread * Items + i];
}
template <typename T, int Items, typename Iterator>
void LoadDirectBlocked(int thread, Iterator from, T (&items)[Items], int valid_items) {
  for (int i = 0; i < Items; ++i) {
    if (thread * Items + i < valid_items) items[i] = from[thread * Items + i];
  }
}
template <typename T, typename Default, int Items, typename Iterator>
void LoadDirectBlocked(int thread, Iterator from, T (&items)[Items], int valid_items,
                       Default default_value) {
  for (T& item : items)
    item = default_value;
  LoadDirectBlocked(thread, from, items, valid_items);
}
template <typename T, int Items>
void LoadDirectBlockedVectorized(int thread, T* from, T (&items)[Items]) {
  LoadDirectBlocked(thread, from, items);
}
template <int Threads, typename T, int Items, typename Iterator>
void LoadDirectStriped(int thread, Iterator from, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i)
    items[i] = from[i * Threads + thread];
}
template <int Threads, typename T, int Items, typename Iterator>
void LoadDirectStriped(int thread, Iterator from, T (&items)[Items], int valid_items) {
  for (int i = 0; i < Items; ++i) {
    if (i * Threads + thread < valid_items) items[i] = from[i * Threads + thread];
  }
}
template <int Threads, typename T, typename Default, int Items, typename Iterator>
void LoadDirectStriped(int thread, Iterator from, T (&items)[Items], int valid_items,
                       Default default_value) {
  for (T& item : items)
    item = default_value;
  LoadDirectStriped<Threads>(thread, from, items, valid_items);
}
template <typename T, int Items, typename Iterator>
void LoadDirectWarpStriped(int thread, Iterator from, T (&items)[Items]) {
  const int first = thread / 32 * 32 * Items + thread % 32;
  for (int i = 0; i < Items; ++i)
    items[i] = from[first + i * 32];
}
template <typename T, int Items, typename Iterator>
void LoadDirectWarpStriped(int thread, Iterator from, T (&items)[Items], int valid_items) {
  const int first = thread / 32 * 32 * Items + thread % 32;
  for (int i = 0; i < Items; ++i) {
    if (first + i * 32 < valid_items) items[i] = from[first + i * 32];
  }
}

// Loads are scalar: a vectorised one reads the same elements.
template <typename T, int BlockX, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT,
          int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockLoad {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  using Exchange = BlockExchange<T, BlockX, Items, false, BlockY, BlockZ>;
  static constexpr bool by_block = Algorithm == BLOCK_LOAD_TRANSPOSE;
  static constexpr bool by_warp =
      Algorithm == BLOCK_LOAD_WARP_TRANSPOSE || Algorithm == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED;
  static_assert(!by_warp || shape::threads % 32 == 0,
                "cub: BlockLoad by warps needs a block of whole warps");
  using Storage = std::conditional_t<by_block || by_warp, typename Exchange::TempStorage, NullType>;

 public:
  static constexpr BlockLoadAlgorithm ALGORITHM = Algorithm;
  OPSMITH_CUB_BLOCK_STORAGE(BlockLoad, Storage)

  template <typename Iterator>
  void Load(Iterator from, T (&items)[Items]) {
    if constexpr (by_block) {
      LoadDirectStriped<shape::threads>(shape::rank(), from, items);
    } else if constexpr (by_warp) {
      LoadDirectWarpStriped(shape::rank(), from, items);
    } else if constexpr (Algorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<shape::threads>(shape::rank(), from, items);
    } else {
      LoadDirectBlocked(shape::rank(), from, items);
    }
    transpose(items);
  }
  template <typename Iterator>
  void Load(Iterator from, T (&items)[Items], int valid_items) {
    if constexpr (by_block) {
      LoadDirectStriped<shape::threads>(shape::rank(), from, items, valid_items);
    } else if constexpr (by_warp) {
      LoadDirectWarpStriped(shape::rank(), from, items, valid_items);
    } else if constexpr (Algorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<shape::threads>(shape::rank(), from, items, valid_items);
    } else {
      LoadDirectBlocked(shape::rank(), from, items, valid_items);
    }
    transpose(items);
  }
  template <typename Iterator, typename Default>
  void Load(Iterator from, T (&items)[Items], int valid_items, Default default_value) {
    for (T& item : items)
      item = default_value;
    Load(from, items, valid_items);
  }

 private:
  void transpose(T (&items)[Items]) {
    if constexpr (by_block) {
      Exchange(storage_).StripedToBlocked(items, items);
    } else if constexpr (by_warp) {
      Exchange(storage_).WarpStripedToBlocked(items, items);
    } else {
      static_cast<void>(items);
    }
  }

  Storage& storage_;
};

CUB_NAMESPACE_END
