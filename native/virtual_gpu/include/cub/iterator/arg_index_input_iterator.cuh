#pragma once
#include <opsmith/gpu/index_iterator.h>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

// Pairs of index and value.
template <typename Iterator, typename Offset = std::ptrdiff_t,
          typename Value = typename std::iterator_traits<Iterator>::value_type>
class ArgIndexInputIterator
    : public opsmith::gpu::index_iterator<ArgIndexInputIterator<Iterator, Offset, Value>,
                                          KeyValuePair<Offset, Value>,
                                          KeyValuePair<Offset, Value>> {
 public:
  ArgIndexInputIterator() = default;
  explicit ArgIndexInputIterator(Iterator base, std::ptrdiff_t at = 0) : base_(base) {
    this->at_ = at;
  }
  KeyValuePair<Offset, Value> get(std::ptrdiff_t at) const {
    return {static_cast<Offset>(at), static_cast<Value>(base_[at])};
  }
  void normalize() {
    base_ += this->at_;
    this->at_ = 0;
  }

 private:
  Iterator base_{};
};

CUB_NAMESPACE_END
