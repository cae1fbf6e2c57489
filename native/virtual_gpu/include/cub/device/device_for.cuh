#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

struct DeviceFor {
  template <typename Count, typename Operator>
  static cudaError_t Bulk(void* storage, std::size_t& bytes, Count count, Operator op,
                          cudaStream_t stream = 0) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      for (Count i = 0; i < count; ++i)
        op(i);
    });
  }
  template <typename Iterator, typename Count, typename Operator>
  static cudaError_t ForEachN(void* storage, std::size_t& bytes, Iterator first, Count count,
                              Operator op, cudaStream_t stream = 0) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      for (Count i = 0; i < count; ++i)
        op(first[i]);
    });
  }
  template <typename Iterator, typename Operator>
  static cudaError_t ForEach(void* storage, std::size_t& bytes, Iterator first, Iterator last,
                             Operator op, cudaStream_t stream = 0) {
    return ForEachN(storage, bytes, first, last - first, op, stream);
  }

  // Without temporary storage.
  template <typename Count, typename Operator>
  static cudaError_t Bulk(Count count, Operator op, cudaStream_t stream = 0) {
    std::size_t bytes = 256;
    return Bulk(&bytes, bytes, count, op, stream);
  }
  template <typename Iterator, typename Count, typename Operator>
  static cudaError_t ForEachN(Iterator first, Count count, Operator op, cudaStream_t stream = 0) {
    std::size_t bytes = 256;
    return ForEachN(&bytes, bytes, first, count, op, stream);
  }
  template <typename Iterator, typename Operator>
  static cudaError_t ForEach(Iterator first, Iterator last, Operator op, cudaStream_t stream = 0) {
    return ForEachN(first, last - first, op, stream);
  }
};

CUB_NAMESPACE_END
