// Loops of device-wide algorithms, which the host runs. They call functors in the order of indices.
#pragma once
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <opsmith/gpu/radix_key.h>

namespace opsmith::gpu::loops {

// As many elements as a device adds one after the other. Longer sums are trees: a float that
// collects millions of addends would lose the small ones.
inline constexpr std::size_t run = 64;

template <typename Result, typename Load, typename Operator>
Result reduce_from(std::size_t first, std::size_t count, Load& load, Operator& op) {
  if (count > run) {
    std::size_t left = run;
    while (left * 2 < count)
      left *= 2;
    Result a = reduce_from<Result>(first, left, load, op);
    Result b = reduce_from<Result>(first + left, count - left, load, op);
    return static_cast<Result>(op(a, b));
  }
  Result result = static_cast<Result>(load(first));
  for (std::size_t i = 1; i < count; ++i) {
    result = static_cast<Result>(op(result, load(first + i)));
  }
  return result;
}

// load(i) is element i. The result keeps the order of elements.
template <typename Result, typename Load, typename Operator>
Result reduce(std::size_t count, Result initial, Load load, Operator op) {
  if (count == 0) return initial;
  return static_cast<Result>(op(initial, reduce_from<Result>(0, count, load, op)));
}

// store(i, value) writes the combination of elements up to i, or before i if exclusive.
template <typename Result, typename Load, typename Store, typename Operator>
void scan(std::size_t count, const Result* initial, bool exclusive, Load load, Store store,
          Operator op) {
  if (count == 0) return;
  // Without an initial value the first chunk has no base.
  std::optional<Result> base;
  if (initial != nullptr) base.emplace(*initial);
  const auto based = [&](const Result& value) {
    return base ? static_cast<Result>(op(*base, value)) : value;
  };
  constexpr std::size_t chunk = 1024;
  for (std::size_t first = 0; first < count; first += chunk) {
    const std::size_t end = first + chunk < count ? first + chunk : count;
    Result inside = static_cast<Result>(load(first));
    for (std::size_t i = first;;) {
      // The output may be the input: the next element is read before this one is written.
      if (i + 1 == end) {
        if (exclusive) {
          if (i == first) store(i, *base);
        } else {
          store(i, based(inside));
        }
        break;
      }
      const Result next = static_cast<Result>(load(i + 1));
      if (exclusive) {
        if (i == first) store(i, *base);
        store(i + 1, based(inside));
      } else {
        store(i, based(inside));
      }
      inside = static_cast<Result>(op(inside, next));
      ++i;
    }
    const Result total = based(inside);
    base.emplace(total);
  }
}

// The order of keys by some of their bits; equal ones keep theirs.
template <typename Key>
std::vector<std::size_t> radix_order(const Key* keys, std::size_t count, int begin_bit, int end_bit,
                                     bool descending) {
  using bits = radix_key<Key>;
  struct entry {
    typename bits::bits digits;
    std::size_t from;
  };
  std::vector<entry> entries(count);
  for (std::size_t i = 0; i < count; ++i) {
    entries[i] = {bits::digit(keys[i], begin_bit, end_bit, descending), i};
  }
  std::vector<entry> sorted(count);
  for (int bit = 0; bit < end_bit - begin_bit; bit += 8) {
    std::size_t starts[257] = {};
    for (const entry& each : entries)
      ++starts[(each.digits >> bit & 255) + 1];
    for (int i = 0; i < 256; ++i)
      starts[i + 1] += starts[i];
    for (const entry& each : entries)
      sorted[starts[each.digits >> bit & 255]++] = each;
    entries.swap(sorted);
  }
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i)
    order[i] = entries[i].from;
  return order;
}

// A merge sort of values; equal ones keep their order. It needs nothing but copies and `less`.
template <typename T, typename Less>
void stable_sort(std::vector<T>& values, Less less) {
  std::vector<T> other(values);
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t first = 0; first < values.size(); first += 2 * width) {
      const std::size_t middle = first + width < values.size() ? first + width : values.size();
      const std::size_t end = first + 2 * width < values.size() ? first + 2 * width : values.size();
      std::size_t left = first;
      std::size_t right = middle;
      for (std::size_t to = first; to < end; ++to) {
        const bool from_right =
            left == middle || (right < end && less(values[right], values[left]));
        other[to] = values[from_right ? right++ : left++];
      }
    }
    values.swap(other);
  }
}

// Threads of a kernel have no memory of the host: what they sort, they sort in place.

template <typename Iterator>
void swap_items(Iterator it, std::ptrdiff_t a, std::ptrdiff_t b) {
  const typename std::iterator_traits<Iterator>::value_type kept = it[a];
  it[a] = it[b];
  it[b] = kept;
}

template <typename Iterator>
void reverse(Iterator it, std::ptrdiff_t first, std::ptrdiff_t last) {
  for (; first + 1 < last; ++first, --last)
    swap_items(it, first, last - 1);
}

// Makes of [first, middle) and [middle, last) the second and then the first.
template <typename Iterator>
void rotate(Iterator it, std::ptrdiff_t first, std::ptrdiff_t middle, std::ptrdiff_t last) {
  if (first == middle || middle == last) return;
  loops::reverse(it, first, middle);
  loops::reverse(it, middle, last);
  loops::reverse(it, first, last);
}

template <typename Iterator, typename Less>
void merge_in_place(Iterator it, std::ptrdiff_t first, std::ptrdiff_t middle, std::ptrdiff_t last,
                    Less& less) {
  if (first == middle || middle == last || !less(it[middle], it[middle - 1])) return;
  if (last - first == 2) {
    swap_items(it, first, middle);
    return;
  }
  // The middle of the longer half, and where it belongs in the other one.
  std::ptrdiff_t left = first + (middle - first) / 2;
  std::ptrdiff_t right = middle + (last - middle) / 2;
  const bool by_left = middle - first > last - middle;
  std::ptrdiff_t low = by_left ? middle : first;
  std::ptrdiff_t high = by_left ? last : middle;
  while (low < high) {
    const std::ptrdiff_t half = low + (high - low) / 2;
    const bool is_before = by_left ? less(it[half], it[left]) : !less(it[right], it[half]);
    if (is_before) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  (by_left ? right : left) = low;
  loops::rotate(it, left, middle, right);
  const std::ptrdiff_t between = left + (right - middle);
  loops::merge_in_place(it, first, left, between, less);
  loops::merge_in_place(it, between, right, last, less);
}

template <typename Iterator, typename Less>
void sort_in_place(Iterator it, std::ptrdiff_t first, std::ptrdiff_t last, Less& less) {
  if (last - first <= 16) {
    for (std::ptrdiff_t i = first + 1; i < last; ++i) {
      for (std::ptrdiff_t at = i; at > first && less(it[at], it[at - 1]); --at) {
        swap_items(it, at, at - 1);
      }
    }
    return;
  }
  const std::ptrdiff_t middle = first + (last - first) / 2;
  loops::sort_in_place(it, first, middle, less);
  loops::sort_in_place(it, middle, last, less);
  loops::merge_in_place(it, first, middle, last, less);
}

// Puts selected items first, and gives their number; all keep their order.
template <typename Iterator, typename Flags, typename Predicate>
std::ptrdiff_t partition_in_place(Iterator it, Flags flags, std::ptrdiff_t first,
                                  std::ptrdiff_t last, Predicate& predicate) {
  if (last == first) return 0;
  if (last - first == 1) return predicate(flags[first]) ? 1 : 0;
  const std::ptrdiff_t middle = first + (last - first) / 2;
  const std::ptrdiff_t left = loops::partition_in_place(it, flags, first, middle, predicate);
  const std::ptrdiff_t right = loops::partition_in_place(it, flags, middle, last, predicate);
  loops::rotate(it, first + left, middle, middle + right);
  return left + right;
}

// std::vector<bool> has no addresses.
template <typename T>
struct copy_of_input {
  std::unique_ptr<T[]> data;
  std::size_t count;

  template <typename Iterator>
  copy_of_input(Iterator from, std::size_t count) : data(new T[count]), count(count) {
    for (std::size_t i = 0; i < count; ++i)
      data[i] = from[i];
  }
  const T& operator[](std::size_t i) const { return data[i]; }
};

}  // namespace opsmith::gpu::loops
