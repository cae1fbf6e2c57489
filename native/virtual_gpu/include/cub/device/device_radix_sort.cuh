#pragma once
#include <opsmith/gpu/cub_device_sort.h>

CUB_NAMESPACE_BEGIN

struct DeviceRadixSort {
  template <typename Key, typename Value, typename Count>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                               const Value* values, Value* values_out, Count count,
                               int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, keys_out, values, values_out, count, begin_bit, end_bit,
                false, stream);
  }
  template <typename Key, typename Value, typename Count>
  static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const Key* keys,
                                         Key* keys_out, const Value* values, Value* values_out,
                                         Count count, int begin_bit = 0,
                                         int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0,
                                         bool = false) {
    return sort(storage, bytes, keys, keys_out, values, values_out, count, begin_bit, end_bit, true,
                stream);
  }
  template <typename Key, typename Count>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                              Count count, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                              cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, keys_out, detail::no_values, detail::no_values, count,
                begin_bit, end_bit, false, stream);
  }
  template <typename Key, typename Count>
  static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const Key* keys,
                                        Key* keys_out, Count count, int begin_bit = 0,
                                        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0,
                                        bool = false) {
    return sort(storage, bytes, keys, keys_out, detail::no_values, detail::no_values, count,
                begin_bit, end_bit, true, stream);
  }

  // The result is in Current() of the buffers afterwards.
  template <typename Key, typename Value, typename Count>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, Count count, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0,
                               bool = false) {
    return sort(storage, bytes, keys, &values, count, begin_bit, end_bit, false, stream);
  }
  template <typename Key, typename Value, typename Count>
  static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                         DoubleBuffer<Value>& values, Count count,
                                         int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                         cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, &values, count, begin_bit, end_bit, true, stream);
  }
  template <typename Key, typename Count>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                              Count count, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                              cudaStream_t stream = 0, bool = false) {
    DoubleBuffer<NullType>* none = nullptr;
    return sort(storage, bytes, keys, none, count, begin_bit, end_bit, false, stream);
  }
  template <typename Key, typename Count>
  static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                        Count count, int begin_bit = 0,
                                        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0,
                                        bool = false) {
    DoubleBuffer<NullType>* none = nullptr;
    return sort(storage, bytes, keys, none, count, begin_bit, end_bit, true, stream);
  }

 private:
  template <typename Key, typename Value, typename Count>
  static cudaError_t sort(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                          const Value* values, Value* values_out, Count count, int begin_bit,
                          int end_bit, bool descending, cudaStream_t stream) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      detail::radix_sort(keys, keys_out, values, values_out, static_cast<std::size_t>(count),
                         begin_bit, end_bit, descending);
    });
  }
  template <typename Key, typename Value, typename Count>
  static cudaError_t sort(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                          DoubleBuffer<Value>* values, Count count, int begin_bit, int end_bit,
                          bool descending, cudaStream_t stream) {
    const cudaError_t error = sort(storage, bytes, keys.Current(), keys.Alternate(),
                                   values == nullptr ? nullptr : values->Current(),
                                   values == nullptr ? nullptr : values->Alternate(), count,
                                   begin_bit, end_bit, descending, stream);
    if (storage != nullptr && error == cudaSuccess) {
      keys.selector ^= 1;
      if (values != nullptr) values->selector ^= 1;
    }
    return error;
  }
};

CUB_NAMESPACE_END
