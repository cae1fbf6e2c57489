#pragma once
#include <opsmith/gpu/index_iterator.h>
#include <cub/thread/thread_store.cuh>

CUB_NAMESPACE_BEGIN

template <CacheStoreModifier Modifier, typename T, typename Offset = std::ptrdiff_t>
class CacheModifiedOutputIterator
    : public opsmith::gpu::index_iterator<CacheModifiedOutputIterator<Modifier, T, Offset>, T, T&> {
 public:
  template <typename Qualified>
  CacheModifiedOutputIterator(Qualified* base)
      : ptr_(const_cast<std::remove_cv_t<Qualified>*>(base)) {}
  T& get(std::ptrdiff_t at) const { return ptr_[at]; }

 private:
  T* ptr_;
};

CUB_NAMESPACE_END
