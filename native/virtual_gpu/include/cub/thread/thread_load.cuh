#pragma once
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};

// There are no caches: all modifiers are plain loads. A volatile one may wait for other threads.
template <CacheLoadModifier Modifier, typename Iterator>
typename std::iterator_traits<Iterator>::value_type ThreadLoad(Iterator at) {
  if constexpr (Modifier == LOAD_CV || Modifier == LOAD_VOLATILE) opsmith::gpu::polled();
  return *at;
}

CUB_NAMESPACE_END
