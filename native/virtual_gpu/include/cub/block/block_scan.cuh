#pragma once
#include <opsmith/gpu/cub_block.h>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_scan.cuh>
#include <cub/warp/warp_scan.cuh>

CUB_NAMESPACE_BEGIN

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// All algorithms scan warps first.
template <typename T, int BlockX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int BlockY = 1,
          int BlockZ = 1, int LegacyPtxArch = 0>
class BlockScan {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  struct Aggregates {
    T warps[shape::warps];
    T prefix;
  };

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockScan, Aggregates)

  // One item a thread.
  void ExclusiveSum(T input, T& output) {
    ExclusiveScan(input, output, T{}, CUB_NS_QUALIFIER::Sum{});
  }
  void ExclusiveSum(T input, T& output, T& block_aggregate) {
    ExclusiveScan(input, output, T{}, CUB_NS_QUALIFIER::Sum{}, block_aggregate);
  }
  template <typename Prefix>
  void ExclusiveSum(T input, T& output, Prefix& prefix) {
    ExclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}, prefix);
  }
  // Thread 0 receives its own input: CUB leaves its output undefined.
  template <typename Operator>
  void ExclusiveScan(T input, T& output, Operator op) {
    T aggregate;
    output = scan(input, op, aggregate).before;
  }
  template <typename Operator>
  void ExclusiveScan(T input, T& output, T initial, Operator op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  template <typename Operator>
  void ExclusiveScan(T input, T& output, Operator op, T& block_aggregate) {
    output = scan(input, op, block_aggregate).before;
  }
  template <typename Operator>
  void ExclusiveScan(T input, T& output, T initial, Operator op, T& block_aggregate) {
    const T before = scan(input, op, block_aggregate).before;
    output = shape::rank() == 0 ? initial : op(initial, before);
  }
  template <typename Operator, typename Prefix>
  void ExclusiveScan(T input, T& output, Operator op, Prefix& prefix) {
    T aggregate;
    const T before = scan(input, op, aggregate).before;
    const T start = block_prefix(aggregate, prefix);
    output = shape::rank() == 0 ? start : op(start, before);
  }

  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}); }
  void InclusiveSum(T input, T& output, T& block_aggregate) {
    InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}, block_aggregate);
  }
  template <typename Prefix>
  void InclusiveSum(T input, T& output, Prefix& prefix) {
    InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}, prefix);
  }
  template <typename Operator>
  void InclusiveScan(T input, T& output, Operator op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <typename Operator>
  void InclusiveScan(T input, T& output, Operator op, T& block_aggregate) {
    output = scan(input, op, block_aggregate).with;
  }
  template <typename Operator, typename Prefix>
  void InclusiveScan(T input, T& output, Operator op, Prefix& prefix) {
    T aggregate;
    const T with = scan(input, op, aggregate).with;
    output = op(block_prefix(aggregate, prefix), with);
  }

  // Several items a thread.
  template <int Items>
  void ExclusiveSum(T (&input)[Items], T (&output)[Items]) {
    ExclusiveScan(input, output, T{}, CUB_NS_QUALIFIER::Sum{});
  }
  template <int Items>
  void ExclusiveSum(T (&input)[Items], T (&output)[Items], T& block_aggregate) {
    ExclusiveScan(input, output, T{}, CUB_NS_QUALIFIER::Sum{}, block_aggregate);
  }
  template <int Items, typename Prefix>
  void ExclusiveSum(T (&input)[Items], T (&output)[Items], Prefix& prefix) {
    ExclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}, prefix);
  }
  template <int Items, typename Operator>
  void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Operator op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  template <int Items, typename Operator>
  void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Operator op,
                     T& block_aggregate) {
    const T before = scan(ThreadReduce(input, op), op, block_aggregate).before;
    exclusive(input, output, op, shape::rank() == 0 ? initial : op(initial, before));
  }
  template <int Items, typename Operator, typename Prefix>
  void ExclusiveScan(T (&input)[Items], T (&output)[Items], Operator op, Prefix& prefix) {
    T aggregate;
    const T before = scan(ThreadReduce(input, op), op, aggregate).before;
    const T start = block_prefix(aggregate, prefix);
    exclusive(input, output, op, shape::rank() == 0 ? start : op(start, before));
  }
  // Thread 0's first output is its first input: CUB leaves it undefined.
  template <int Items, typename Operator>
  void ExclusiveScan(T (&input)[Items], T (&output)[Items], Operator op) {
    T aggregate;
    ExclusiveScan(input, output, op, aggregate);
  }
  template <int Items, typename Operator>
  void ExclusiveScan(T (&input)[Items], T (&output)[Items], Operator op, T& block_aggregate) {
    const T before = scan(ThreadReduce(input, op), op, block_aggregate).before;
    if (shape::rank() != 0) {
      exclusive(input, output, op, before);
      return;
    }
    T running = input[0];
    output[0] = running;
    for (int i = 1; i < Items; ++i) {
      const T item = input[i];
      output[i] = running;
      running = op(running, item);
    }
  }

  template <int Items>
  void InclusiveSum(T (&input)[Items], T (&output)[Items]) {
    InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{});
  }
  template <int Items>
  void InclusiveSum(T (&input)[Items], T (&output)[Items], T& block_aggregate) {
    InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}, block_aggregate);
  }
  template <int Items, typename Prefix>
  void InclusiveSum(T (&input)[Items], T (&output)[Items], Prefix& prefix) {
    InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}, prefix);
  }
  template <int Items, typename Operator>
  void InclusiveScan(T (&input)[Items], T (&output)[Items], Operator op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <int Items, typename Operator>
  void InclusiveScan(T (&input)[Items], T (&output)[Items], Operator op, T& block_aggregate) {
    const T before = scan(ThreadReduce(input, op), op, block_aggregate).before;
    inclusive(input, output, op, shape::rank() != 0, before);
  }
  template <int Items, typename Operator, typename Prefix>
  void InclusiveScan(T (&input)[Items], T (&output)[Items], Operator op, Prefix& prefix) {
    T aggregate;
    const T before = scan(ThreadReduce(input, op), op, aggregate).before;
    const T start = block_prefix(aggregate, prefix);
    inclusive(input, output, op, true, shape::rank() == 0 ? start : op(start, before));
  }

 private:
  struct scanned {
    T with;    // all threads up to this one
    T before;  // all threads before this one; the input for thread 0
  };

  template <typename Operator>
  scanned scan(T input, Operator& op, T& block_aggregate) {
    const int rank = shape::rank();
    const int warp = rank / 32;
    T with;
    T before;
    NullType none;
    WarpScan<T>(none).Scan(input, with, before, op);
    if (rank % 32 == 31 || rank == shape::threads - 1) storage_.warps[warp] = with;
    __syncthreads();
    T aggregate = storage_.warps[0];
    for (int i = 1; i < shape::warps; ++i) {
      if (i == warp) {
        with = op(aggregate, with);
        before = rank % 32 == 0 ? aggregate : op(aggregate, before);
      }
      aggregate = op(aggregate, storage_.warps[i]);
    }
    block_aggregate = aggregate;
    return {with, before};
  }

  // The first warp calls the functor: lane 0's result is the one that counts.
  template <typename Prefix>
  T block_prefix(T block_aggregate, Prefix& prefix) {
    if (shape::rank() < 32) {
      const T start = prefix(block_aggregate);
      if (shape::rank() == 0) storage_.prefix = start;
    }
    __syncthreads();
    return storage_.prefix;
  }

  template <int Items, typename Operator>
  static void exclusive(T (&input)[Items], T (&output)[Items], Operator& op, T running) {
    for (int i = 0; i < Items; ++i) {
      const T item = input[i];
      output[i] = running;
      running = op(running, item);
    }
  }
  template <int Items, typename Operator>
  static void inclusive(T (&input)[Items], T (&output)[Items], Operator& op, bool has_start,
                        T start) {
    T running = has_start ? op(start, input[0]) : input[0];
    output[0] = running;
    for (int i = 1; i < Items; ++i)
      output[i] = running = op(running, input[i]);
  }

  Aggregates& storage_;
};

CUB_NAMESPACE_END
