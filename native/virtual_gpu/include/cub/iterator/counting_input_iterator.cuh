#pragma once
#include <opsmith/gpu/index_iterator.h>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <typename T, typename Offset = std::ptrdiff_t>
class CountingInputIterator
    : public opsmith::gpu::index_iterator<CountingInputIterator<T, Offset>, T, T> {
 public:
  CountingInputIterator() = default;
  CountingInputIterator(const T& first) : first_(first) {}
  T get(std::ptrdiff_t at) const { return static_cast<T>(first_ + at); }

 private:
  T first_{};
};

CUB_NAMESPACE_END
