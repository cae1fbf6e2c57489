#pragma once
#include <opsmith/gpu/cub_block.h>

CUB_NAMESPACE_BEGIN

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

// Both algorithms count with atomics.
template <typename T, int BlockX, int Items, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockHistogram {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockHistogram, NullType)

  template <typename Counter>
  void InitHistogram(Counter (&histogram)[Bins]) {
    for (int bin = shape::rank(); bin < Bins; bin += shape::threads)
      histogram[bin] = 0;
  }
  template <typename Counter>
  void Histogram(T (&items)[Items], Counter (&histogram)[Bins]) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }
  template <typename Counter>
  void Composite(T (&items)[Items], Counter (&histogram)[Bins]) {
    for (const T& item : items)
      atomicAdd(histogram + item, static_cast<Counter>(1));
  }

 private:
  NullType& storage_;
};

CUB_NAMESPACE_END
