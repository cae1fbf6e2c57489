// Loops of device-wide algorithms, which the host runs. They call functors in the order of indices.
#pragma once
#include <cstddef>
#include <memory>
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
  std::vector<Result> base;
  if (initial != nullptr) base.push_back(*initial);
  const auto based = [&](const Result& value) {
    return base.empty() ? value : static_cast<Result>(op(base[0], value));
  };
  constexpr std::size_t chunk = 1024;
  for (std::size_t first = 0; first < count; first += chunk) {
    const std::size_t end = first + chunk < count ? first + chunk : count;
    Result inside = static_cast<Result>(load(first));
    for (std::size_t i = first;;) {
      // The output may be the input: the next element is read before this one is written.
      if (i + 1 == end) {
        if (exclusive) {
          if (i == first) store(i, base[0]);
        } else {
          store(i, based(inside));
        }
        break;
      }
      const Result next = static_cast<Result>(load(i + 1));
      if (exclusive) {
        if (i == first) store(i, base[0]);
        store(i + 1, based(inside));
      } else {
        store(i, based(inside));
      }
      inside = static_cast<Result>(op(inside, next));
      ++i;
    }
    const Result total = based(inside);
    base.clear();
    base.push_back(total);
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
