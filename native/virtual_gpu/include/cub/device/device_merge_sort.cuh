#pragma once
#include <opsmith/gpu/cub_device_sort.h>

CUB_NAMESPACE_BEGIN

// All sorts keep the order of equal keys.
struct DeviceMergeSort {
  template <typename Keys, typename Items, typename Count, typename Less>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, Keys keys, Items items,
                               Count count, Less less, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, keys, items, items, count, less, stream);
  }
  template <typename Keys, typename Count, typename Less>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, Keys keys, Count count, Less less,
                              cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, keys, detail::no_values, detail::no_values, count, less,
                stream);
  }
  template <typename KeysIn, typename Keys, typename Count, typename Less>
  static cudaError_t SortKeysCopy(void* storage, std::size_t& bytes, KeysIn keys_in, Keys keys,
                                  Count count, Less less, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys_in, keys, detail::no_values, detail::no_values, count, less,
                stream);
  }
  template <typename Keys, typename Items, typename Count, typename Less>
  static cudaError_t StableSortPairs(void* storage, std::size_t& bytes, Keys keys, Items items,
                                     Count count, Less less, cudaStream_t stream = 0,
                                     bool = false) {
    return sort(storage, bytes, keys, keys, items, items, count, less, stream);
  }
  template <typename Keys, typename Count, typename Less>
  static cudaError_t StableSortKeys(void* storage, std::size_t& bytes, Keys keys, Count count,
                                    Less less, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, keys, detail::no_values, detail::no_values, count, less,
                stream);
  }
  template <typename KeysIn, typename Keys, typename Count, typename Less>
  static cudaError_t StableSortKeysCopy(void* storage, std::size_t& bytes, KeysIn keys_in,
                                        Keys keys, Count count, Less less, cudaStream_t stream = 0,
                                        bool = false) {
    return sort(storage, bytes, keys_in, keys, detail::no_values, detail::no_values, count, less,
                stream);
  }
  template <typename KeysIn, typename ItemsIn, typename Keys, typename Items, typename Count,
            typename Less>
  static cudaError_t SortPairsCopy(void* storage, std::size_t& bytes, KeysIn keys_in,
                                   ItemsIn items_in, Keys keys, Items items, Count count, Less less,
                                   cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys_in, keys, items_in, items, count, less, stream);
  }

 private:
  template <typename KeysIn, typename Keys, typename ItemsIn, typename Items, typename Count,
            typename Less>
  static cudaError_t sort(void* storage, std::size_t& bytes, KeysIn keys_in, Keys keys,
                          ItemsIn items_in, Items items, Count count, Less less,
                          cudaStream_t stream) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      detail::merge_sort(keys_in, keys, items_in, items, static_cast<std::size_t>(count), less);
    });
  }
};

CUB_NAMESPACE_END
