// The merge sort of CUB's blocks and warps: each thread sorts its items, then sorted runs are
// merged in pairs through shared memory.
#pragma once
#include <opsmith/gpu/cub_block.h>
#include <cub/thread/thread_sort.cuh>

CUB_NAMESPACE_BEGIN

namespace detail {

// Team::rank(), Team::threads and Team::sync() say which threads sort together.
template <typename Key, typename Value, int Items, typename Team>
struct team_merge_sort {
  static constexpr bool has_values = !std::is_same_v<Value, NullType>;
  static constexpr int all = Items * Team::threads;
  static_assert(PowerOfTwo<Team::threads>::VALUE,
                "cub: the number of threads of a merge sort must be a power of two");

  struct Storage {
    Key keys[all];
    Value values[has_values ? all : 1];
  };

  template <typename Compare>
  static void sort(Storage& storage, Key (&keys)[Items], Value (&values)[Items], Compare less) {
    const int rank = Team::rank();
    const int first = rank * Items;
    StableOddEvenSort(keys, values, less);
    for (int width = 1; width < Team::threads; width *= 2) {
      Team::sync();
      for (int i = 0; i < Items; ++i) {
        storage.keys[first + i] = keys[i];
        if constexpr (has_values) storage.values[first + i] = values[i];
      }
      Team::sync();
      const int begin = rank / (2 * width) * (2 * width) * Items;
      const int middle = begin + width * Items;
      const int end = middle + width * Items;
      merge(storage, keys, values, less, begin, middle, end, first - begin);
    }
  }

 private:
  static int smaller(int a, int b) { return a < b ? a : b; }

  // Writes a thread's share, which begins at the diagonal, of [begin, middle) and [middle, end).
  template <typename Compare>
  static void merge(Storage& storage, Key (&keys)[Items], Value (&values)[Items], Compare& less,
                    int begin, int middle, int end, int diagonal) {
    int low = diagonal - (end - middle) > 0 ? diagonal - (end - middle) : 0;
    int high = smaller(diagonal, middle - begin);
    while (low < high) {
      const int half = (low + high) / 2;
      if (less(storage.keys[middle + diagonal - 1 - half], storage.keys[begin + half])) {
        high = half;
      } else {
        low = half + 1;
      }
    }
    int left = begin + low;
    int right = middle + diagonal - low;
    for (int i = 0; i < Items; ++i) {
      const bool from_right =
          left == middle || (right < end && less(storage.keys[right], storage.keys[left]));
      const int from = from_right ? right++ : left++;
      keys[i] = storage.keys[from];
      if constexpr (has_values) values[i] = storage.values[from];
    }
  }
};

// The calls that block and warp merge sorts have in common.
template <typename Key, typename Value, int Items, typename Team>
class merge_sort_calls {
 protected:
  using Algorithm = team_merge_sort<Key, Value, Items, Team>;
  using Storage = typename Algorithm::Storage;
  explicit merge_sort_calls(Storage& storage) : storage_(storage) {}

  Storage& storage_;

 public:
  template <typename Compare>
  void Sort(Key (&keys)[Items], Compare less) {
    StableSort(keys, less);
  }
  template <typename Compare>
  void Sort(Key (&keys)[Items], Compare less, int valid_items, Key oob_default) {
    StableSort(keys, less, valid_items, oob_default);
  }
  template <typename Compare>
  void Sort(Key (&keys)[Items], Value (&values)[Items], Compare less) {
    StableSort(keys, values, less);
  }
  template <typename Compare>
  void Sort(Key (&keys)[Items], Value (&values)[Items], Compare less, int valid_items,
            Key oob_default) {
    StableSort(keys, values, less, valid_items, oob_default);
  }
  template <typename Compare>
  void StableSort(Key (&keys)[Items], Compare less) {
    Value none[Items] = {};
    Algorithm::sort(storage_, keys, none, less);
  }
  template <typename Compare>
  void StableSort(Key (&keys)[Items], Compare less, int valid_items, Key oob_default) {
    Value none[Items] = {};
    pad(keys, valid_items, oob_default);
    Algorithm::sort(storage_, keys, none, less);
  }
  template <typename Compare>
  void StableSort(Key (&keys)[Items], Value (&values)[Items], Compare less) {
    Algorithm::sort(storage_, keys, values, less);
  }
  template <typename Compare>
  void StableSort(Key (&keys)[Items], Value (&values)[Items], Compare less, int valid_items,
                  Key oob_default) {
    pad(keys, valid_items, oob_default);
    Algorithm::sort(storage_, keys, values, less);
  }

 private:
  static void pad(Key (&keys)[Items], int valid_items, const Key& oob_default) {
    for (int i = 0; i < Items; ++i) {
      if (Team::rank() * Items + i >= valid_items) keys[i] = oob_default;
    }
  }
};

}  // namespace detail

CUB_NAMESPACE_END
