#pragma once
#include <opsmith/gpu/cub_block.h>
#include <cub/thread/thread_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

CUB_NAMESPACE_BEGIN

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

// The result is thread 0's. All algorithms reduce warps first, in the order of threads.
template <typename T, int BlockX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockReduce {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  struct Aggregates {
    T warps[shape::warps];
  };

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockReduce, Aggregates)

  template <typename Operator>
  T Reduce(T input, Operator op) {
    return Reduce(input, op, shape::threads);
  }
  template <int Items, typename Operator>
  T Reduce(T (&inputs)[Items], Operator op) {
    return Reduce(static_cast<T>(ThreadReduce(inputs, op)), op);
  }
  template <typename Operator>
  T Reduce(T input, Operator op, int num_valid) {
    const int rank = shape::rank();
    const int first = rank / 32 * 32;
    // Lanes after the last valid one take part in shuffles, but not in the result.
    NullType none;
    T aggregate = WarpReduce<T>(none).Reduce(input, op, num_valid - first);
    if (rank % 32 == 0 && first < num_valid) storage_.warps[rank / 32] = aggregate;
    __syncthreads();
    if (rank == 0) {
      for (int warp = 1; warp < shape::warps && warp * 32 < num_valid; ++warp) {
        aggregate = op(aggregate, storage_.warps[warp]);
      }
    }
    return aggregate;
  }

  T Sum(T input) { return Reduce(input, CUB_NS_QUALIFIER::Sum{}); }
  template <int Items>
  T Sum(T (&inputs)[Items]) {
    return Reduce(inputs, CUB_NS_QUALIFIER::Sum{});
  }
  T Sum(T input, int num_valid) { return Reduce(input, CUB_NS_QUALIFIER::Sum{}, num_valid); }

 private:
  Aggregates& storage_;
};

CUB_NAMESPACE_END
