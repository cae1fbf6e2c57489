#pragma once
#include <opsmith/gpu/ignored_value.h>
#include <opsmith/gpu/index_iterator.h>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <typename Offset = std::ptrdiff_t>
class DiscardOutputIterator
    : public opsmith::gpu::index_iterator<DiscardOutputIterator<Offset>, void,
                                          opsmith::gpu::ignored_value> {
 public:
  DiscardOutputIterator(Offset at = 0) { this->at_ = at; }
  opsmith::gpu::ignored_value get(std::ptrdiff_t) const { return {}; }
};

CUB_NAMESPACE_END
