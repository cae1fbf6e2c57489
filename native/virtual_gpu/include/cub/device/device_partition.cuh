#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

// Selected items keep their order. The others are behind them, in reverse order.
struct DevicePartition {
  template <typename In, typename Flags, typename Out, typename Selected, typename Count>
  static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                             Selected selected, Count count, cudaStream_t stream = 0,
                             bool = false) {
    return partition(storage, bytes, in, out, selected, count, stream,
                     [&](std::size_t i, const auto&) { return static_cast<bool>(flags[i]); });
  }
  template <typename In, typename Out, typename Selected, typename Count, typename Operator>
  static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, Selected selected,
                        Count count, Operator op, cudaStream_t stream = 0, bool = false) {
    return partition(storage, bytes, in, out, selected, count, stream,
                     [&](std::size_t, const auto& item) { return static_cast<bool>(op(item)); });
  }
  // Three parts, each in order.
  template <typename In, typename First, typename Second, typename Rest, typename Selected,
            typename Count, typename SelectFirst, typename SelectSecond>
  static std::enable_if_t<std::is_integral_v<Count>, cudaError_t> If(
      void* storage, std::size_t& bytes, In in, First first, Second second, Rest rest,
      Selected selected, Count count, SelectFirst is_first, SelectSecond is_second,
      cudaStream_t stream = 0, bool = false) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      std::size_t firsts = 0;
      std::size_t seconds = 0;
      std::size_t others = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const detail::value_of<In> item = in[i];
        if (is_first(item)) {
          first[firsts++] = item;
        } else if (is_second(item)) {
          second[seconds++] = item;
        } else {
          rest[others++] = item;
        }
      }
      selected[0] = firsts;
      selected[1] = seconds;
    });
  }

 private:
  template <typename In, typename Out, typename Selected, typename Count, typename Test>
  static cudaError_t partition(void* storage, std::size_t& bytes, In in, Out out, Selected selected,
                               Count count, cudaStream_t stream, Test test) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      const auto all = static_cast<std::size_t>(count);
      std::size_t front = 0;
      std::size_t back = all;
      for (std::size_t i = 0; i < all; ++i) {
        const detail::value_of<In> item = in[i];
        if (test(i, item)) {
          out[front++] = item;
        } else {
          out[--back] = item;
        }
      }
      *selected = front;
    });
  }
};

CUB_NAMESPACE_END
