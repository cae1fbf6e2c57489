#pragma once
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheStoreModifier Modifier, typename Iterator, typename T>
void ThreadStore(Iterator at, const T& value) {
  *at = value;
}

CUB_NAMESPACE_END
