#pragma once
#include <opsmith/gpu/radix_key.h>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_scan.cuh>

CUB_NAMESPACE_BEGIN

template <typename Key, int BlockX, int Items, typename Value = NullType, int RadixBits = 4,
          bool MemoizeOuterScan = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS,
          int SharedMemoryConfig = 0, int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockRadixSort {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  using Scan = BlockScan<int, BlockX, BLOCK_SCAN_WARP_SCANS, BlockY, BlockZ>;
  using KeyExchange = BlockExchange<Key, BlockX, Items, false, BlockY, BlockZ>;
  using ValueExchange = BlockExchange<Value, BlockX, Items, false, BlockY, BlockZ>;
  using bits = opsmith::gpu::radix_key<Key>;
  static constexpr bool has_values = !std::is_same_v<Value, NullType>;
  static constexpr int digits = 1 << RadixBits;
  static constexpr int key_bits = sizeof(Key) * 8;

  struct Storage {
    // Counts of a digit in all threads, then those of the next digit.
    int counts[digits * shape::threads];
    union {
      typename Scan::TempStorage scan;
      typename KeyExchange::TempStorage keys;
      typename ValueExchange::TempStorage values;
    };
  };

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockRadixSort, Storage)

  void Sort(Key (&keys)[Items], int begin_bit = 0, int end_bit = key_bits) {
    Value none[Items];
    sort(keys, none, begin_bit, end_bit, false, false);
  }
  void Sort(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0, int end_bit = key_bits) {
    sort(keys, values, begin_bit, end_bit, false, false);
  }
  void SortDescending(Key (&keys)[Items], int begin_bit = 0, int end_bit = key_bits) {
    Value none[Items];
    sort(keys, none, begin_bit, end_bit, true, false);
  }
  void SortDescending(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
                      int end_bit = key_bits) {
    sort(keys, values, begin_bit, end_bit, true, false);
  }
  void SortBlockedToStriped(Key (&keys)[Items], int begin_bit = 0, int end_bit = key_bits) {
    Value none[Items];
    sort(keys, none, begin_bit, end_bit, false, true);
  }
  void SortBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
                            int end_bit = key_bits) {
    sort(keys, values, begin_bit, end_bit, false, true);
  }
  void SortDescendingBlockedToStriped(Key (&keys)[Items], int begin_bit = 0,
                                      int end_bit = key_bits) {
    Value none[Items];
    sort(keys, none, begin_bit, end_bit, true, true);
  }
  void SortDescendingBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
                                      int end_bit = key_bits) {
    sort(keys, values, begin_bit, end_bit, true, true);
  }

 private:
  void sort(Key (&keys)[Items], Value (&values)[Items], int begin_bit, int end_bit, bool descending,
            bool to_striped) {
    for (int bit = begin_bit; bit < end_bit; bit += RadixBits) {
      const int last_bit = bit + RadixBits < end_bit ? bit + RadixBits : end_bit;
      int ranks[Items];
      rank(keys, ranks, bit, last_bit, descending);
      const bool striped = to_striped && last_bit == end_bit;
      __syncthreads();
      scatter(KeyExchange(storage_.keys), keys, ranks, striped);
      if constexpr (has_values) {
        __syncthreads();
        scatter(ValueExchange(storage_.values), values, ranks, striped);
      }
      __syncthreads();
    }
  }

  template <typename Exchange, typename T>
  static void scatter(Exchange exchange, T (&items)[Items], int (&ranks)[Items], bool striped) {
    if (striped) {
      exchange.ScatterToStriped(items, ranks);
    } else {
      exchange.ScatterToBlocked(items, ranks);
    }
  }

  // The places of a thread's keys when they are ordered by some of their bits. Only the thread
  // uses its counters before the scan.
  void rank(Key (&keys)[Items], int (&ranks)[Items], int begin_bit, int end_bit, bool descending) {
    const int thread = shape::rank();
    int* counts = storage_.counts + thread;
    for (int digit = 0; digit < digits; ++digit)
      counts[digit * shape::threads] = 0;
    int slots[Items];
    for (int i = 0; i < Items; ++i) {
      const auto digit = bits::digit(keys[i], begin_bit, end_bit, descending);
      slots[i] = static_cast<int>(digit) * shape::threads;
      ranks[i] = counts[slots[i]]++;
    }
    __syncthreads();
    int* own = storage_.counts + thread * digits;
    int sum = 0;
    for (int i = 0; i < digits; ++i)
      sum += own[i];
    int before;
    Scan(storage_.scan).ExclusiveSum(sum, before);
    for (int i = 0; i < digits; ++i) {
      const int count = own[i];
      own[i] = before;
      before += count;
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i)
      ranks[i] += counts[slots[i]];
  }

  Storage& storage_;
};

CUB_NAMESPACE_END
