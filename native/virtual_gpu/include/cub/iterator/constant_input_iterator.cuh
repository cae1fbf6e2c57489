#pragma once
#include <opsmith/gpu/index_iterator.h>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <typename T, typename Offset = std::ptrdiff_t>
class ConstantInputIterator
    : public opsmith::gpu::index_iterator<ConstantInputIterator<T, Offset>, T, T> {
 public:
  ConstantInputIterator() = default;
  ConstantInputIterator(T value, Offset at = 0) : value_(value) { this->at_ = at; }
  T get(std::ptrdiff_t) const { return value_; }

 private:
  T value_{};
};

CUB_NAMESPACE_END
