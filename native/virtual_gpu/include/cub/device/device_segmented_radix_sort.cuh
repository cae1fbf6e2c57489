#pragma once
#include <opsmith/gpu/cub_device_sort.h>

CUB_NAMESPACE_BEGIN

// Segment i is [begin[i], end[i]). What is in no segment is not written.
struct DeviceSegmentedRadixSort {
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                               const Value* values, Value* values_out, std::int64_t,
                               std::int64_t segments, Begin begin, End end, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0,
                               bool = false) {
    return sort(storage, bytes, keys, keys_out, values, values_out, segments, begin, end, begin_bit,
                end_bit, false, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                              std::int64_t, std::int64_t segments, Begin begin, End end,
                              int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                              cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, keys_out, detail::no_values, detail::no_values, segments,
                begin, end, begin_bit, end_bit, false, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, std::int64_t, std::int64_t segments,
                               Begin begin, End end, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0,
                               bool = false) {
    const cudaError_t error =
        sort(storage, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(),
             segments, begin, end, begin_bit, end_bit, false, stream);
    if (storage != nullptr && error == cudaSuccess) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return error;
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                              std::int64_t, std::int64_t segments, Begin begin, End end,
                              int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                              cudaStream_t stream = 0, bool = false) {
    const cudaError_t error =
        sort(storage, bytes, keys.Current(), keys.Alternate(), detail::no_values, detail::no_values,
             segments, begin, end, begin_bit, end_bit, false, stream);
    if (storage != nullptr && error == cudaSuccess) keys.selector ^= 1;
    return error;
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const Key* keys,
                                         Key* keys_out, const Value* values, Value* values_out,
                                         std::int64_t, std::int64_t segments, Begin begin, End end,
                                         int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                         cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys, keys_out, values, values_out, segments, begin, end, begin_bit,
                end_bit, true, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const Key* keys,
                                        Key* keys_out, std::int64_t, std::int64_t segments,
                                        Begin begin, End end, int begin_bit = 0,
                                        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0,
                                        bool = false) {
    return sort(storage, bytes, keys, keys_out, detail::no_values, detail::no_values, segments,
                begin, end, begin_bit, end_bit, true, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                         DoubleBuffer<Value>& values, std::int64_t,
                                         std::int64_t segments, Begin begin, End end,
                                         int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                         cudaStream_t stream = 0, bool = false) {
    const cudaError_t error =
        sort(storage, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(),
             segments, begin, end, begin_bit, end_bit, true, stream);
    if (storage != nullptr && error == cudaSuccess) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return error;
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                        std::int64_t, std::int64_t segments, Begin begin, End end,
                                        int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                        cudaStream_t stream = 0, bool = false) {
    const cudaError_t error =
        sort(storage, bytes, keys.Current(), keys.Alternate(), detail::no_values, detail::no_values,
             segments, begin, end, begin_bit, end_bit, true, stream);
    if (storage != nullptr && error == cudaSuccess) keys.selector ^= 1;
    return error;
  }

 private:
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t sort(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                          const Value* values, Value* values_out, std::int64_t segments,
                          Begin begin, End end, int begin_bit, int end_bit, bool descending,
                          cudaStream_t stream) {
    return detail::run_on_device(storage, bytes, stream, [&] {
      for (std::int64_t i = 0; i < segments; ++i) {
        const auto first = begin[i];
        if (!(first < end[i])) continue;
        detail::radix_sort(keys + first, keys_out + first, values + first, values_out + first,
                           static_cast<std::size_t>(end[i] - first), begin_bit, end_bit,
                           descending);
      }
    });
  }
};

CUB_NAMESPACE_END
