#pragma once
#include <opsmith/gpu/index_iterator.h>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <typename T, typename Operator, typename Iterator, typename Offset = std::ptrdiff_t>
class TransformInputIterator
    : public opsmith::gpu::index_iterator<TransformInputIterator<T, Operator, Iterator, Offset>, T,
                                          T> {
 public:
  TransformInputIterator(Iterator base, Operator op) : base_(base), op_(op) {}
  T get(std::ptrdiff_t at) const { return static_cast<T>(op_(base_[at])); }

 private:
  Iterator base_;
  // An operator may have a call that is not const.
  mutable Operator op_;
};

CUB_NAMESPACE_END
