#pragma once
#include <opsmith/gpu/cub_block.h>

CUB_NAMESPACE_BEGIN

template <typename T, int BlockX, int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockShuffle {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  struct All {
    T items[shape::threads];
  };

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockShuffle, All)

  // Threads without a source keep their output.
  void Offset(T input, T& output, int distance = 1) {
    share(input);
    const int from = shape::rank() + distance;
    if (from >= 0 && from < shape::threads) output = storage_.items[from];
  }
  void Rotate(T input, T& output, unsigned distance = 1) {
    share(input);
    output = storage_.items[(shape::rank() + distance) % shape::threads];
  }
  // The first item of thread 0, or the last one of the last thread, keeps its value.
  template <int Items>
  void Up(T (&input)[Items], T (&previous)[Items]) {
    share(input[Items - 1]);
    for (int i = Items - 1; i > 0; --i)
      previous[i] = input[i - 1];
    if (shape::rank() > 0) previous[0] = storage_.items[shape::rank() - 1];
  }
  template <int Items>
  void Up(T (&input)[Items], T (&previous)[Items], T& block_suffix) {
    Up(input, previous);
    block_suffix = storage_.items[shape::threads - 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&next)[Items]) {
    share(input[0]);
    for (int i = 0; i < Items - 1; ++i)
      next[i] = input[i + 1];
    if (shape::rank() < shape::threads - 1) next[Items - 1] = storage_.items[shape::rank() + 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&next)[Items], T& block_prefix) {
    Down(input, next);
    block_prefix = storage_.items[0];
  }

 private:
  void share(const T& item) {
    storage_.items[shape::rank()] = item;
    __syncthreads();
  }

  All& storage_;
};

CUB_NAMESPACE_END
