#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

struct DeviceAdjacentDifference {
  template <typename In, typename Out, typename Operator = Difference, typename Count>
  static cudaError_t SubtractLeftCopy(void* storage, std::size_t& bytes, In in, Out out,
                                      Count count, Operator op = {}, cudaStream_t stream = 0) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      const detail::loops::copy_of_input<detail::value_of<In>> items(in, count);
      for (std::size_t i = 0; i < items.count; ++i) {
        out[i] = i == 0 ? items[0] : op(items[i], items[i - 1]);
      }
    });
  }
  template <typename Data, typename Operator = Difference, typename Count>
  static cudaError_t SubtractLeft(void* storage, std::size_t& bytes, Data data, Count count,
                                  Operator op = {}, cudaStream_t stream = 0) {
    return SubtractLeftCopy(storage, bytes, data, data, count, op, stream);
  }
  template <typename In, typename Out, typename Operator = Difference, typename Count>
  static cudaError_t SubtractRightCopy(void* storage, std::size_t& bytes, In in, Out out,
                                       Count count, Operator op = {}, cudaStream_t stream = 0) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      const detail::loops::copy_of_input<detail::value_of<In>> items(in, count);
      for (std::size_t i = 0; i < items.count; ++i) {
        out[i] = i + 1 == items.count ? items[i] : op(items[i], items[i + 1]);
      }
    });
  }
  template <typename Data, typename Operator = Difference, typename Count>
  static cudaError_t SubtractRight(void* storage, std::size_t& bytes, Data data, Count count,
                                   Operator op = {}, cudaStream_t stream = 0) {
    return SubtractRightCopy(storage, bytes, data, data, count, op, stream);
  }
};

CUB_NAMESPACE_END
