#pragma once
#include <cub/device/device_segmented_radix_sort.cuh>

CUB_NAMESPACE_BEGIN

// All sorts keep the order of equal keys.
struct DeviceSegmentedSort {
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                              std::int64_t count, std::int64_t segments, Begin begin, End end,
                              cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortKeys(storage, bytes, keys, keys_out, count, segments,
                                              begin, end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                              std::int64_t count, std::int64_t segments, Begin begin, End end,
                              cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortKeys(storage, bytes, keys, count, segments, begin, end, 0,
                                              sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                               const Value* values, Value* values_out, std::int64_t count,
                               std::int64_t segments, Begin begin, End end, cudaStream_t stream = 0,
                               bool = false) {
    return DeviceSegmentedRadixSort::SortPairs(storage, bytes, keys, keys_out, values, values_out,
                                               count, segments, begin, end, 0, sizeof(Key) * 8,
                                               stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, std::int64_t count,
                               std::int64_t segments, Begin begin, End end, cudaStream_t stream = 0,
                               bool = false) {
    return DeviceSegmentedRadixSort::SortPairs(storage, bytes, keys, values, count, segments, begin,
                                               end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const Key* keys,
                                        Key* keys_out, std::int64_t count, std::int64_t segments,
                                        Begin begin, End end, cudaStream_t stream = 0,
                                        bool = false) {
    return DeviceSegmentedRadixSort::SortKeysDescending(
        storage, bytes, keys, keys_out, count, segments, begin, end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                        std::int64_t count, std::int64_t segments, Begin begin,
                                        End end, cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortKeysDescending(storage, bytes, keys, count, segments,
                                                        begin, end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const Key* keys,
                                         Key* keys_out, const Value* values, Value* values_out,
                                         std::int64_t count, std::int64_t segments, Begin begin,
                                         End end, cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortPairsDescending(storage, bytes, keys, keys_out, values,
                                                         values_out, count, segments, begin, end, 0,
                                                         sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                         DoubleBuffer<Value>& values, std::int64_t count,
                                         std::int64_t segments, Begin begin, End end,
                                         cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortPairsDescending(
        storage, bytes, keys, values, count, segments, begin, end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t StableSortKeys(void* storage, std::size_t& bytes, const Key* keys,
                                    Key* keys_out, std::int64_t count, std::int64_t segments,
                                    Begin begin, End end, cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortKeys(storage, bytes, keys, keys_out, count, segments,
                                              begin, end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t StableSortKeys(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                    std::int64_t count, std::int64_t segments, Begin begin, End end,
                                    cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortKeys(storage, bytes, keys, count, segments, begin, end, 0,
                                              sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t StableSortPairs(void* storage, std::size_t& bytes, const Key* keys,
                                     Key* keys_out, const Value* values, Value* values_out,
                                     std::int64_t count, std::int64_t segments, Begin begin,
                                     End end, cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortPairs(storage, bytes, keys, keys_out, values, values_out,
                                               count, segments, begin, end, 0, sizeof(Key) * 8,
                                               stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t StableSortPairs(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                                     DoubleBuffer<Value>& values, std::int64_t count,
                                     std::int64_t segments, Begin begin, End end,
                                     cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortPairs(storage, bytes, keys, values, count, segments, begin,
                                               end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t StableSortKeysDescending(void* storage, std::size_t& bytes, const Key* keys,
                                              Key* keys_out, std::int64_t count,
                                              std::int64_t segments, Begin begin, End end,
                                              cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortKeysDescending(
        storage, bytes, keys, keys_out, count, segments, begin, end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Begin, typename End>
  static cudaError_t StableSortKeysDescending(void* storage, std::size_t& bytes,
                                              DoubleBuffer<Key>& keys, std::int64_t count,
                                              std::int64_t segments, Begin begin, End end,
                                              cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortKeysDescending(storage, bytes, keys, count, segments,
                                                        begin, end, 0, sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t StableSortPairsDescending(void* storage, std::size_t& bytes, const Key* keys,
                                               Key* keys_out, const Value* values,
                                               Value* values_out, std::int64_t count,
                                               std::int64_t segments, Begin begin, End end,
                                               cudaStream_t stream = 0, bool = false) {
    return DeviceSegmentedRadixSort::SortPairsDescending(storage, bytes, keys, keys_out, values,
                                                         values_out, count, segments, begin, end, 0,
                                                         sizeof(Key) * 8, stream);
  }
  template <typename Key, typename Value, typename Begin, typename End>
  static cudaError_t StableSortPairsDescending(void* storage, std::size_t& bytes,
                                               DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                               std::int64_t count, std::int64_t segments,
                                               Begin begin, End end, cudaStream_t stream = 0,
                                               bool = false) {
    return DeviceSegmentedRadixSort::SortPairsDescending(
        storage, bytes, keys, values, count, segments, begin, end, 0, sizeof(Key) * 8, stream);
  }
};

CUB_NAMESPACE_END
