#pragma once
#include <opsmith/gpu/cub_block.h>

CUB_NAMESPACE_BEGIN

template <typename T, int BlockX, int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockAdjacentDifference {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  struct Edges {
    T first[shape::threads];
    T last[shape::threads];
  };

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockAdjacentDifference, Edges)

  template <int Items, typename Output, typename Operator>
  void SubtractLeft(T (&input)[Items], Output (&output)[Items], Operator op) {
    share(input);
    left(input, output, op, nullptr, shape::threads * Items);
  }
  template <int Items, typename Output, typename Operator>
  void SubtractLeft(T (&input)[Items], Output (&output)[Items], Operator op, T tile_predecessor) {
    share(input);
    left(input, output, op, &tile_predecessor, shape::threads * Items);
  }
  template <int Items, typename Output, typename Operator>
  void SubtractLeftPartialTile(T (&input)[Items], Output (&output)[Items], Operator op,
                               int valid_items) {
    share(input);
    left(input, output, op, nullptr, valid_items);
  }
  template <int Items, typename Output, typename Operator>
  void SubtractLeftPartialTile(T (&input)[Items], Output (&output)[Items], Operator op,
                               int valid_items, T tile_predecessor) {
    share(input);
    left(input, output, op, &tile_predecessor, valid_items);
  }
  template <int Items, typename Output, typename Operator>
  void SubtractRight(T (&input)[Items], Output (&output)[Items], Operator op) {
    share(input);
    right(input, output, op, nullptr, shape::threads * Items);
  }
  template <int Items, typename Output, typename Operator>
  void SubtractRight(T (&input)[Items], Output (&output)[Items], Operator op, T tile_successor) {
    share(input);
    right(input, output, op, &tile_successor, shape::threads * Items);
  }
  template <int Items, typename Output, typename Operator>
  void SubtractRightPartialTile(T (&input)[Items], Output (&output)[Items], Operator op,
                                int valid_items) {
    share(input);
    right(input, output, op, nullptr, valid_items);
  }

 private:
  template <int Items>
  void share(T (&input)[Items]) {
    storage_.first[shape::rank()] = input[0];
    storage_.last[shape::rank()] = input[Items - 1];
    __syncthreads();
  }
  // The first item of the block has a left neighbour only if the caller gives one. From the last
  // to the first: the output may be the input.
  template <int Items, typename Output, typename Operator>
  void left(T (&input)[Items], Output (&output)[Items], Operator& op, const T* predecessor,
            int valid_items) {
    const int rank = shape::rank();
    for (int i = Items - 1; i >= 0; --i) {
      const int at = rank * Items + i;
      if (at >= valid_items || (at == 0 && predecessor == nullptr)) {
        output[i] = input[i];
      } else {
        output[i] = op(input[i], i > 0       ? input[i - 1]
                                 : rank == 0 ? *predecessor
                                             : storage_.last[rank - 1]);
      }
    }
  }
  template <int Items, typename Output, typename Operator>
  void right(T (&input)[Items], Output (&output)[Items], Operator& op, const T* successor,
             int valid_items) {
    const int rank = shape::rank();
    for (int i = 0; i < Items; ++i) {
      const int at = rank * Items + i;
      const bool last = at == valid_items - 1;
      if (at >= valid_items || (last && successor == nullptr)) {
        output[i] = input[i];
      } else {
        output[i] = op(input[i], last            ? *successor
                                 : i + 1 < Items ? input[i + 1]
                                                 : storage_.first[rank + 1]);
      }
    }
  }

  Edges& storage_;
};

CUB_NAMESPACE_END
