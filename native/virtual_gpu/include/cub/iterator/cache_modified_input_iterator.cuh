#pragma once
#include <opsmith/gpu/index_iterator.h>
#include <cub/thread/thread_load.cuh>

CUB_NAMESPACE_BEGIN

template <CacheLoadModifier Modifier, typename T, typename Offset = std::ptrdiff_t>
class CacheModifiedInputIterator
    : public opsmith::gpu::index_iterator<CacheModifiedInputIterator<Modifier, T, Offset>, T, T> {
 public:
  template <typename Qualified>
  CacheModifiedInputIterator(Qualified* base)
      : ptr(const_cast<std::remove_cv_t<Qualified>*>(base)) {}
  T get(std::ptrdiff_t at) const { return ThreadLoad<Modifier>(ptr + at); }

  T* ptr;
};

CUB_NAMESPACE_END
