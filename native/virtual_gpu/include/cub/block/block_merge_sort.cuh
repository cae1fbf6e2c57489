#pragma once
#include <opsmith/gpu/cub_merge_sort.h>

CUB_NAMESPACE_BEGIN

namespace detail {

template <int X, int Y, int Z>
struct block_team : block_shape<X, Y, Z> {
  static void sync() { __syncthreads(); }
};

}  // namespace detail

template <typename Key, int BlockX, int Items, typename Value = NullType, int BlockY = 1,
          int BlockZ = 1>
class BlockMergeSort : public detail::merge_sort_calls<Key, Value, Items,
                                                       detail::block_team<BlockX, BlockY, BlockZ>> {
  using Calls =
      detail::merge_sort_calls<Key, Value, Items, detail::block_team<BlockX, BlockY, BlockZ>>;

 public:
  struct TempStorage : Uninitialized<typename Calls::Storage> {};
  explicit BlockMergeSort(TempStorage& storage) : Calls(storage.Alias()) {}
};

CUB_NAMESPACE_END
