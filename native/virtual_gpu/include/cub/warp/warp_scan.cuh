#pragma once
#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>

CUB_NAMESPACE_BEGIN

template <typename T, int LogicalThreads = 32, int LegacyPtxArch = 0>
class WarpScan {
  static_assert(LogicalThreads >= 1 && LogicalThreads <= 32 && PowerOfTwo<LogicalThreads>::VALUE,
                "cub: a logical warp whose size is not a power of two is not supported on the "
                "virtual GPU");

 public:
  using TempStorage = NullType;

  explicit WarpScan(TempStorage&) {}

  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}); }
  void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, CUB_NS_QUALIFIER::Sum{}, aggregate);
  }
  void ExclusiveSum(T input, T& output) {
    ExclusiveScan(input, output, T{}, CUB_NS_QUALIFIER::Sum{});
  }
  void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T{}, CUB_NS_QUALIFIER::Sum{}, aggregate);
  }

  template <typename Operator>
  void InclusiveScan(T input, T& output, Operator op) {
    output = inclusive(input, op);
  }
  template <typename Operator>
  void InclusiveScan(T input, T& output, Operator op, T& aggregate) {
    output = inclusive(input, op);
    aggregate = last(output);
  }
  template <typename Operator>
  void InclusiveScan(T input, T& output, T initial, Operator op) {
    output = op(initial, inclusive(input, op));
  }
  template <typename Operator>
  void InclusiveScan(T input, T& output, T initial, Operator op, T& aggregate) {
    const T scanned = inclusive(input, op);
    output = op(initial, scanned);
    aggregate = last(scanned);
  }

  // Without an initial value lane 0 receives its own input: CUB leaves it undefined.
  template <typename Operator>
  void ExclusiveScan(T input, T& output, Operator op) {
    output = before(inclusive(input, op), input);
  }
  template <typename Operator>
  void ExclusiveScan(T input, T& output, T initial, Operator op) {
    const T scanned = before(inclusive(input, op), input);
    output = rank() == 0 ? initial : op(initial, scanned);
  }
  template <typename Operator>
  void ExclusiveScan(T input, T& output, Operator op, T& aggregate) {
    const T scanned = inclusive(input, op);
    output = before(scanned, input);
    aggregate = last(scanned);
  }
  template <typename Operator>
  void ExclusiveScan(T input, T& output, T initial, Operator op, T& aggregate) {
    const T scanned = inclusive(input, op);
    const T previous = before(scanned, input);
    output = rank() == 0 ? initial : op(initial, previous);
    aggregate = last(scanned);
  }

  template <typename Operator>
  void Scan(T input, T& inclusive_output, T& exclusive_output, Operator op) {
    inclusive_output = inclusive(input, op);
    exclusive_output = before(inclusive_output, input);
  }
  template <typename Operator>
  void Scan(T input, T& inclusive_output, T& exclusive_output, T initial, Operator op) {
    const T scanned = inclusive(input, op);
    const T previous = before(scanned, input);
    inclusive_output = op(initial, scanned);
    exclusive_output = rank() == 0 ? initial : op(initial, previous);
  }

  T Broadcast(T input, unsigned source) {
    return ShuffleIndex<LogicalThreads>(input, static_cast<int>(source), lanes());
  }

 private:
  static unsigned lanes() { return detail::present_lanes<LogicalThreads>(); }
  static int rank() { return static_cast<int>(LaneId() % LogicalThreads); }

  template <typename Operator>
  static T inclusive(T value, Operator& op) {
    const unsigned mask = lanes();
    for (int step = 1; step < LogicalThreads; step *= 2) {
      const T other = ShuffleUp<LogicalThreads>(value, step, 0, mask);
      if (rank() >= step) value = op(other, value);
    }
    return value;
  }
  static T before(const T& scanned, const T& input) {
    const T previous = ShuffleUp<LogicalThreads>(scanned, 1, 0, lanes());
    return rank() == 0 ? input : previous;
  }
  static T last(const T& scanned) {
    return ShuffleIndex<LogicalThreads>(scanned, __popc(lanes()) - 1, lanes());
  }
};

CUB_NAMESPACE_END
