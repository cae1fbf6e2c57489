// Sorts of CUB by bits and by comparison, whole or in segments.
#pragma once
#include <opsmith/gpu/cub_device.h>

CUB_NAMESPACE_BEGIN

namespace detail {

// Values may be NullType pointers: there are none then.
template <typename Key, typename Value>
void radix_sort(const Key* keys, Key* keys_out, const Value* values, Value* values_out,
                std::size_t count, int begin_bit, int end_bit, bool descending) {
  const loops::copy_of_input<Key> old_keys(keys, count);
  const auto order = loops::radix_order(old_keys.data.get(), count, begin_bit, end_bit, descending);
  for (std::size_t i = 0; i < count; ++i)
    keys_out[i] = old_keys[order[i]];
  if constexpr (!std::is_same_v<Value, NullType>) {
    const loops::copy_of_input<Value> old_values(values, count);
    for (std::size_t i = 0; i < count; ++i)
      values_out[i] = old_values[order[i]];
  }
}

template <typename KeysIn, typename Keys, typename ItemsIn, typename Items, typename Less>
void merge_sort(KeysIn keys_in, Keys keys, ItemsIn items_in, Items items, std::size_t count,
                Less less) {
  using key = value_of<KeysIn>;
  struct entry {
    key value;
    std::size_t from;
  };
  std::vector<entry> order;
  order.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    order.push_back({keys_in[i], i});
  loops::stable_sort(order, [&](const entry& a, const entry& b) {
    return static_cast<bool>(less(a.value, b.value));
  });
  if constexpr (!std::is_same_v<Items, NullType*>) {
    const loops::copy_of_input<value_of<ItemsIn>> old(items_in, count);
    for (std::size_t i = 0; i < count; ++i)
      items[i] = old[order[i].from];
  }
  for (std::size_t i = 0; i < count; ++i)
    keys[i] = order[i].value;
}

inline NullType* no_values = nullptr;

}  // namespace detail

CUB_NAMESPACE_END
