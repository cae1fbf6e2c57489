#pragma once
#include <cub/thread/thread_operators.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/util_ptx.cuh>

CUB_NAMESPACE_BEGIN

// The result is lane 0's, or that of the first lane of a segment.
template <typename T, int LogicalThreads = 32, int LegacyPtxArch = 0>
class WarpReduce {
  static_assert(LogicalThreads >= 1 && LogicalThreads <= 32 && PowerOfTwo<LogicalThreads>::VALUE,
                "cub: a logical warp whose size is not a power of two is not supported on the "
                "virtual GPU");

 public:
  using TempStorage = NullType;

  explicit WarpReduce(TempStorage&) {}

  template <typename Operator>
  T Reduce(T input, Operator op) {
    return reduce(input, op, last_lane());
  }
  template <typename Operator>
  T Reduce(T input, Operator op, int valid_items) {
    return reduce(input, op, smaller(valid_items - 1, last_lane()));
  }
  template <typename Input, std::size_t Items, typename Operator>
  T Reduce(const Input (&input)[Items], Operator op) {
    return Reduce(static_cast<T>(ThreadReduce(input, op)), op);
  }
  T Sum(T input) { return Reduce(input, CUB_NS_QUALIFIER::Sum{}); }
  T Sum(T input, int valid_items) { return Reduce(input, CUB_NS_QUALIFIER::Sum{}, valid_items); }
  T Max(T input) { return Reduce(input, CUB_NS_QUALIFIER::Max{}); }
  T Max(T input, int valid_items) { return Reduce(input, CUB_NS_QUALIFIER::Max{}, valid_items); }
  T Min(T input) { return Reduce(input, CUB_NS_QUALIFIER::Min{}); }
  T Min(T input, int valid_items) { return Reduce(input, CUB_NS_QUALIFIER::Min{}, valid_items); }

  template <typename Flag, typename Operator>
  T HeadSegmentedReduce(T input, Flag head, Operator op) {
    // The segment of a lane ends before the next head.
    const unsigned heads = ballot(head) & ~((2u << rank()) - 1);
    const int last = heads == 0 ? last_lane() : __builtin_ctz(heads) - 1;
    return reduce(input, op, smaller(last, last_lane()));
  }
  template <typename Flag, typename Operator>
  T TailSegmentedReduce(T input, Flag tail, Operator op) {
    const unsigned tails = ballot(tail) & ~((1u << rank()) - 1);
    const int last = tails == 0 ? last_lane() : __builtin_ctz(tails);
    return reduce(input, op, smaller(last, last_lane()));
  }
  template <typename Flag>
  T HeadSegmentedSum(T input, Flag head) {
    return HeadSegmentedReduce(input, head, CUB_NS_QUALIFIER::Sum{});
  }
  template <typename Flag>
  T TailSegmentedSum(T input, Flag tail) {
    return TailSegmentedReduce(input, tail, CUB_NS_QUALIFIER::Sum{});
  }

 private:
  static int smaller(int a, int b) { return a < b ? a : b; }
  static unsigned lanes() { return detail::present_lanes<LogicalThreads>(); }
  static int rank() { return static_cast<int>(LaneId() % LogicalThreads); }
  static int last_lane() { return __popc(lanes()) - 1; }
  static unsigned ballot(bool flag) {
    const unsigned mask = lanes();
    return (__ballot_sync(mask, flag) & mask) >> (LaneId() - rank());
  }

  template <typename Operator>
  static T reduce(T value, Operator& op, int last) {
    const unsigned mask = lanes();
    for (int step = 1; step < LogicalThreads; step *= 2) {
      const int from = rank() + step;
      const T other = ShuffleDown<LogicalThreads>(value, step, last_lane(), mask);
      if (from <= last) value = op(value, other);
    }
    return value;
  }
};

template <typename T>
class WarpReduce<T, 1> {
 public:
  using TempStorage = NullType;
  explicit WarpReduce(TempStorage&) {}
  template <typename Operator>
  T Reduce(T input, Operator) {
    return input;
  }
  T Sum(T input) { return input; }
};

CUB_NAMESPACE_END
