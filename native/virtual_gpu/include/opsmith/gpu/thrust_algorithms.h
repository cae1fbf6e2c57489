// Algorithms of Thrust. Each has a policy as its first argument, and a form without one. They call
// functors in the order of indices; sums are trees (see host_loops.h).
#pragma once
#include <opsmith/gpu/host_loops.h>
#include <opsmith/gpu/thrust_functional.h>
#include <opsmith/gpu/thrust_iterators.h>
#include <opsmith/gpu/thrust_memory.h>
#include <opsmith/gpu/thrust_policy.h>

namespace thrust {

namespace loops = ::opsmith::gpu::loops;

// Fill and copy.

template <detail::policy P, typename Iterator, typename Count, typename Function>
Iterator for_each_n(const P& policy, Iterator first, Count count, Function function) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (Count i = 0; i < count; ++i)
    function(it[i]);
  return first + count;
}
template <detail::policy P, typename Iterator, typename Function>
Iterator for_each(const P& policy, Iterator first, Iterator last, Function function) {
  return thrust::for_each_n(policy, first, last - first, function);
}
template <detail::policy P, typename Iterator, typename Count, typename T>
Iterator fill_n(const P& policy, Iterator first, Count count, const T& value) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (Count i = 0; i < count; ++i)
    it[i] = value;
  return first + count;
}
template <detail::policy P, typename Iterator, typename T>
void fill(const P& policy, Iterator first, Iterator last, const T& value) {
  thrust::fill_n(policy, first, last - first, value);
}
template <detail::policy P, typename Iterator, typename Count, typename T>
Iterator uninitialized_fill_n(const P& policy, Iterator first, Count count, const T& value) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (Count i = 0; i < count; ++i)
    new (&it[i]) detail::value_of<Iterator>(value);
  return first + count;
}
template <detail::policy P, typename Iterator, typename T>
void uninitialized_fill(const P& policy, Iterator first, Iterator last, const T& value) {
  thrust::uninitialized_fill_n(policy, first, last - first, value);
}
template <detail::policy P, typename Iterator, typename Count, typename Generator>
Iterator generate_n(const P& policy, Iterator first, Count count, Generator generator) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (Count i = 0; i < count; ++i)
    it[i] = generator();
  return first + count;
}
template <detail::policy P, typename Iterator, typename Generator>
void generate(const P& policy, Iterator first, Iterator last, Generator generator) {
  thrust::generate_n(policy, first, last - first, generator);
}
template <detail::policy P, typename Iterator, typename Function>
void tabulate(const P& policy, Iterator first, Iterator last, Function function) {
  [[maybe_unused]] const auto scope = policy.scope();
  using index = typename std::iterator_traits<Iterator>::difference_type;
  auto it = detail::raw(first);
  for (index i = 0; i < last - first; ++i)
    it[i] = function(i);
}
template <detail::policy P, typename Iterator, typename T, typename Step>
void sequence(const P& policy, Iterator first, Iterator last, T initial, Step step) {
  using value = detail::value_of<Iterator>;
  thrust::tabulate(policy, first, last, [=](auto i) {
    return static_cast<value>(initial + step * static_cast<value>(i));
  });
}
template <detail::policy P, typename Iterator, typename T>
void sequence(const P& policy, Iterator first, Iterator last, T initial) {
  thrust::sequence(policy, first, last, initial, T(1));
}
template <detail::policy P, typename Iterator>
void sequence(const P& policy, Iterator first, Iterator last) {
  thrust::sequence(policy, first, last, detail::value_of<Iterator>(0));
}

template <detail::policy P, typename In, typename Count, typename Out>
Out copy_n(const P& policy, In first, Count count, Out out) {
  // Host and device memory may meet here.
  if constexpr (detail::memory_of<In>::value == detail::memory::device ||
                detail::memory_of<Out>::value == detail::memory::device) {
    if constexpr (std::is_same_v<P, detail::host_policy>) {
      return thrust::copy_n(device, first, count, out);
    }
  }
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto to = detail::raw(out);
  for (Count i = 0; i < count; ++i)
    to[i] = from[i];
  return out + count;
}
template <detail::policy P, typename In, typename Out>
Out copy(const P& policy, In first, In last, Out out) {
  return thrust::copy_n(policy, first, last - first, out);
}
template <detail::policy P, typename In, typename Count, typename Out>
Out uninitialized_copy_n(const P& policy, In first, Count count, Out out) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto to = detail::raw(out);
  for (Count i = 0; i < count; ++i)
    new (&to[i]) detail::value_of<Out>(from[i]);
  return out + count;
}
template <detail::policy P, typename In, typename Out>
Out uninitialized_copy(const P& policy, In first, In last, Out out) {
  return thrust::uninitialized_copy_n(policy, first, last - first, out);
}
template <detail::policy P, typename A, typename B>
B swap_ranges(const P& policy, A first, A last, B other) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = detail::raw(first);
  auto b = detail::raw(other);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const detail::value_of<decltype(a)> kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
  return other + count;
}
template <detail::policy P, typename Iterator>
void reverse(const P& policy, Iterator first, Iterator last) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (std::ptrdiff_t i = 0, j = last - first - 1; i < j; ++i, --j) {
    const detail::value_of<decltype(it)> kept = it[i];
    it[i] = it[j];
    it[j] = kept;
  }
}
template <detail::policy P, typename In, typename Out>
Out reverse_copy(const P& policy, In first, In last, Out out) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto to = detail::raw(out);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i)
    to[i] = from[count - 1 - i];
  return out + count;
}

// Transform.

template <detail::policy P, typename In, typename Out, typename Function>
Out transform(const P& policy, In first, In last, Out out, Function function) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto to = detail::raw(out);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i)
    to[i] = function(from[i]);
  return out + count;
}
template <detail::policy P, typename A, typename B, typename Out, typename Function>
Out transform(const P& policy, A first, A last, B second, Out out, Function function) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = detail::raw(first);
  auto b = detail::raw(second);
  auto to = detail::raw(out);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i)
    to[i] = function(a[i], b[i]);
  return out + count;
}
template <detail::policy P, typename In, typename Out, typename Function, typename Predicate>
Out transform_if(const P& policy, In first, In last, Out out, Function function,
                 Predicate predicate) {
  return thrust::transform_if(policy, first, last, first, out, function, predicate);
}
template <detail::policy P, typename In, typename Stencil, typename Out, typename Function,
          typename Predicate>
Out transform_if(const P& policy, In first, In last, Stencil stencil, Out out, Function function,
                 Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto flags = detail::raw(stencil);
  auto to = detail::raw(out);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (predicate(flags[i])) to[i] = function(from[i]);
  }
  return out + count;
}
template <detail::policy P, typename A, typename B, typename Stencil, typename Out,
          typename Function, typename Predicate>
Out transform_if(const P& policy, A first, A last, B second, Stencil stencil, Out out,
                 Function function, Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = detail::raw(first);
  auto b = detail::raw(second);
  auto flags = detail::raw(stencil);
  auto to = detail::raw(out);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (predicate(flags[i])) to[i] = function(a[i], b[i]);
  }
  return out + count;
}
template <detail::policy P, typename In, typename Out, typename Operator>
Out adjacent_difference(const P& policy, In first, In last, Out out, Operator op) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto to = detail::raw(out);
  const auto count = last - first;
  if (count == 0) return out;
  // The output may be the input.
  detail::value_of<decltype(from)> previous = from[0];
  to[0] = previous;
  for (std::ptrdiff_t i = 1; i < count; ++i) {
    const detail::value_of<decltype(from)> current = from[i];
    to[i] = op(current, previous);
    previous = current;
  }
  return out + count;
}
template <detail::policy P, typename In, typename Out>
Out adjacent_difference(const P& policy, In first, In last, Out out) {
  return thrust::adjacent_difference(policy, first, last, out, thrust::minus<>{});
}

// Gather, scatter, replace.

template <detail::policy P, typename Map, typename In, typename Out>
Out gather(const P& policy, Map first, Map last, In in, Out out) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto map = detail::raw(first);
  auto from = detail::raw(in);
  auto to = detail::raw(out);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i)
    to[i] = from[map[i]];
  return out + count;
}
template <detail::policy P, typename Map, typename Stencil, typename In, typename Out,
          typename Predicate>
Out gather_if(const P& policy, Map first, Map last, Stencil stencil, In in, Out out,
              Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto map = detail::raw(first);
  auto flags = detail::raw(stencil);
  auto from = detail::raw(in);
  auto to = detail::raw(out);
  const auto count = last - first;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (predicate(flags[i])) to[i] = from[map[i]];
  }
  return out + count;
}
template <detail::policy P, typename Map, typename Stencil, typename In, typename Out>
Out gather_if(const P& policy, Map first, Map last, Stencil stencil, In in, Out out) {
  return thrust::gather_if(policy, first, last, stencil, in, out, thrust::identity<>{});
}
template <detail::policy P, typename In, typename Map, typename Stencil, typename Out,
          typename Predicate>
void scatter_if(const P& policy, In first, In last, Map map, Stencil stencil, Out out,
                Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto places = detail::raw(map);
  auto flags = detail::raw(stencil);
  auto to = detail::raw(out);
  for (std::ptrdiff_t i = 0; i < last - first; ++i) {
    if (predicate(flags[i])) to[places[i]] = from[i];
  }
}
template <detail::policy P, typename In, typename Map, typename Stencil, typename Out>
void scatter_if(const P& policy, In first, In last, Map map, Stencil stencil, Out out) {
  thrust::scatter_if(policy, first, last, map, stencil, out, thrust::identity<>{});
}
template <detail::policy P, typename In, typename Map, typename Out>
void scatter(const P& policy, In first, In last, Map map, Out out) {
  thrust::scatter_if(policy, first, last, map, thrust::constant_iterator<bool>(true), out);
}
template <detail::policy P, typename Iterator, typename Stencil, typename Predicate, typename T>
void replace_if(const P& policy, Iterator first, Iterator last, Stencil stencil,
                Predicate predicate, const T& value) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  auto flags = detail::raw(stencil);
  for (std::ptrdiff_t i = 0; i < last - first; ++i) {
    if (predicate(flags[i])) it[i] = value;
  }
}
template <detail::policy P, typename Iterator, typename Predicate, typename T>
void replace_if(const P& policy, Iterator first, Iterator last, Predicate predicate,
                const T& value) {
  thrust::replace_if(policy, first, last, first, predicate, value);
}
template <detail::policy P, typename Iterator, typename T>
void replace(const P& policy, Iterator first, Iterator last, const T& old, const T& value) {
  thrust::replace_if(policy, first, last, [old](const auto& item) { return item == old; }, value);
}
template <detail::policy P, typename In, typename Out, typename Predicate, typename T>
Out replace_copy_if(const P& policy, In first, In last, Out out, Predicate predicate,
                    const T& value) {
  using item = detail::value_of<decltype(detail::raw(first))>;
  return thrust::transform(policy, first, last, out, [&](const item& each) {
    return predicate(each) ? static_cast<item>(value) : each;
  });
}
template <detail::policy P, typename In, typename Out, typename T>
Out replace_copy(const P& policy, In first, In last, Out out, const T& old, const T& value) {
  return thrust::replace_copy_if(
      policy, first, last, out, [&](const auto& each) { return each == old; }, value);
}

// Reduce.

template <detail::policy P, typename Iterator, typename Function, typename T, typename Operator>
T transform_reduce(const P& policy, Iterator first, Iterator last, Function function, T initial,
                   Operator op) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  return loops::reduce<T>(
      detail::count_of(first, last), initial,
      [&](std::size_t i) -> T { return function(from[static_cast<std::ptrdiff_t>(i)]); }, op);
}
template <detail::policy P, typename Iterator, typename T, typename Operator>
T reduce(const P& policy, Iterator first, Iterator last, T initial, Operator op) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  return loops::reduce<T>(
      detail::count_of(first, last), initial,
      [&](std::size_t i) -> T { return from[static_cast<std::ptrdiff_t>(i)]; }, op);
}
template <detail::policy P, typename Iterator, typename T>
T reduce(const P& policy, Iterator first, Iterator last, T initial) {
  return thrust::reduce(policy, first, last, initial, thrust::plus<T>{});
}
template <detail::policy P, typename Iterator>
auto reduce(const P& policy, Iterator first, Iterator last) {
  return thrust::reduce(policy, first, last, detail::value_of<decltype(detail::raw(first))>{});
}
template <detail::policy P, typename A, typename B, typename T, typename Combine, typename Multiply>
T inner_product(const P& policy, A first, A last, B second, T initial, Combine combine,
                Multiply multiply) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = detail::raw(first);
  auto b = detail::raw(second);
  return loops::reduce<T>(
      detail::count_of(first, last), initial,
      [&](std::size_t i) -> T {
        const auto at = static_cast<std::ptrdiff_t>(i);
        return multiply(a[at], b[at]);
      },
      combine);
}
template <detail::policy P, typename A, typename B, typename T>
T inner_product(const P& policy, A first, A last, B second, T initial) {
  return thrust::inner_product(policy, first, last, second, initial, thrust::plus<T>{},
                               thrust::multiplies<T>{});
}
template <detail::policy P, typename Iterator, typename Predicate>
std::ptrdiff_t count_if(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  std::ptrdiff_t count = 0;
  for (std::ptrdiff_t i = 0; i < last - first; ++i) {
    if (predicate(from[i])) ++count;
  }
  return count;
}
template <detail::policy P, typename Iterator, typename T>
std::ptrdiff_t count(const P& policy, Iterator first, Iterator last, const T& value) {
  return thrust::count_if(policy, first, last, [&](const auto& item) { return item == value; });
}
template <detail::policy P, typename Iterator, typename Predicate>
bool all_of(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::count_if(policy, first, last, predicate) == last - first;
}
template <detail::policy P, typename Iterator, typename Predicate>
bool any_of(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::count_if(policy, first, last, predicate) != 0;
}
template <detail::policy P, typename Iterator, typename Predicate>
bool none_of(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::count_if(policy, first, last, predicate) == 0;
}
template <detail::policy P, typename Iterator, typename Less>
pair<Iterator, Iterator> minmax_element(const P& policy, Iterator first, Iterator last, Less less) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;
  for (std::ptrdiff_t i = 1; i < last - first; ++i) {
    if (less(from[i], from[low])) low = i;
    if (less(from[high], from[i])) high = i;
  }
  return {first + low, first + high};
}
template <detail::policy P, typename Iterator>
pair<Iterator, Iterator> minmax_element(const P& policy, Iterator first, Iterator last) {
  return thrust::minmax_element(policy, first, last, thrust::less<>{});
}
template <detail::policy P, typename Iterator, typename Less = thrust::less<>>
Iterator min_element(const P& policy, Iterator first, Iterator last, Less less = {}) {
  return thrust::minmax_element(policy, first, last, less).first;
}
template <detail::policy P, typename Iterator, typename Less = thrust::less<>>
Iterator max_element(const P& policy, Iterator first, Iterator last, Less less = {}) {
  return thrust::minmax_element(policy, first, last, less).second;
}

template <detail::policy P, typename Keys, typename Values, typename KeysOut, typename ValuesOut,
          typename Equal, typename Operator>
pair<KeysOut, ValuesOut> reduce_by_key(const P& policy, Keys first, Keys last, Values values,
                                       KeysOut keys_out, ValuesOut values_out, Equal equal,
                                       Operator op) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto keys = detail::raw(first);
  auto in = detail::raw(values);
  auto to_keys = detail::raw(keys_out);
  auto to_values = detail::raw(values_out);
  using value = detail::value_of<decltype(in)>;
  const auto count = last - first;
  std::ptrdiff_t run = 0;
  auto load = [&](std::size_t i) -> value { return in[static_cast<std::ptrdiff_t>(i)]; };
  for (std::ptrdiff_t begin = 0; begin < count; ++run) {
    const detail::value_of<decltype(keys)> key = keys[begin];
    std::ptrdiff_t end = begin + 1;
    while (end < count && equal(keys[end - 1], keys[end]))
      ++end;
    const value total = loops::reduce_from<value>(static_cast<std::size_t>(begin),
                                                  static_cast<std::size_t>(end - begin), load, op);
    to_keys[run] = key;
    to_values[run] = total;
    begin = end;
  }
  return {keys_out + run, values_out + run};
}
template <detail::policy P, typename Keys, typename Values, typename KeysOut, typename ValuesOut,
          typename Equal>
auto reduce_by_key(const P& policy, Keys first, Keys last, Values values, KeysOut keys_out,
                   ValuesOut values_out, Equal equal) {
  return thrust::reduce_by_key(policy, first, last, values, keys_out, values_out, equal,
                               thrust::plus<>{});
}
template <detail::policy P, typename Keys, typename Values, typename KeysOut, typename ValuesOut>
auto reduce_by_key(const P& policy, Keys first, Keys last, Values values, KeysOut keys_out,
                   ValuesOut values_out) {
  return thrust::reduce_by_key(policy, first, last, values, keys_out, values_out,
                               thrust::equal_to<>{});
}

// Scan.

namespace detail {

template <typename T, typename P, typename In, typename Out, typename Function, typename Operator>
Out scan(const P& policy, In first, In last, Out out, Function function, const T* initial,
         bool exclusive, Operator op) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = raw(first);
  auto to = raw(out);
  loops::scan<T>(
      count_of(first, last), initial, exclusive,
      [&](std::size_t i) -> T { return function(from[static_cast<std::ptrdiff_t>(i)]); },
      [&](std::size_t i, const T& value) { to[static_cast<std::ptrdiff_t>(i)] = value; }, op);
  return out + (last - first);
}

struct as_it_is {
  template <typename T>
  decltype(auto) operator()(T&& value) const {
    return std::forward<T>(value);
  }
};

template <typename P, typename Keys, typename Values, typename Out, typename T, typename Equal,
          typename Operator>
Out scan_by_key(const P& policy, Keys first, Keys last, Values values, Out out, const T* initial,
                bool exclusive, Equal equal, Operator op) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = raw(first);
  using key = value_of<decltype(from)>;
  const auto count = last - first;
  // The output may be the keys.
  const loops::copy_of_input<key> keys(from, static_cast<std::size_t>(count));
  for (std::ptrdiff_t begin = 0; begin < count;) {
    std::ptrdiff_t end = begin + 1;
    while (end < count &&
           equal(keys[static_cast<std::size_t>(end - 1)], keys[static_cast<std::size_t>(end)])) {
      ++end;
    }
    scan<T>(host_policy{}, raw(values) + begin, raw(values) + end, raw(out) + begin, as_it_is{},
            initial, exclusive, op);
    begin = end;
  }
  return out + count;
}

}  // namespace detail

template <detail::policy P, typename In, typename Out, typename Operator>
Out inclusive_scan(const P& policy, In first, In last, Out out, Operator op) {
  using value = detail::value_of<decltype(detail::raw(first))>;
  return detail::scan<value>(policy, first, last, out, detail::as_it_is{},
                             static_cast<const value*>(nullptr), false, op);
}
template <detail::policy P, typename In, typename Out, typename T, typename Operator>
Out inclusive_scan(const P& policy, In first, In last, Out out, T initial, Operator op) {
  return detail::scan<T>(policy, first, last, out, detail::as_it_is{}, &initial, false, op);
}
template <detail::policy P, typename In, typename Out>
Out inclusive_scan(const P& policy, In first, In last, Out out) {
  return thrust::inclusive_scan(policy, first, last, out, thrust::plus<>{});
}
template <detail::policy P, typename In, typename Out, typename T, typename Operator>
Out exclusive_scan(const P& policy, In first, In last, Out out, T initial, Operator op) {
  return detail::scan<T>(policy, first, last, out, detail::as_it_is{}, &initial, true, op);
}
template <detail::policy P, typename In, typename Out, typename T>
Out exclusive_scan(const P& policy, In first, In last, Out out, T initial) {
  return thrust::exclusive_scan(policy, first, last, out, initial, thrust::plus<>{});
}
template <detail::policy P, typename In, typename Out>
Out exclusive_scan(const P& policy, In first, In last, Out out) {
  return thrust::exclusive_scan(policy, first, last, out,
                                detail::value_of<decltype(detail::raw(first))>{});
}
template <detail::policy P, typename In, typename Out, typename Function, typename Operator>
Out transform_inclusive_scan(const P& policy, In first, In last, Out out, Function function,
                             Operator op) {
  using value = std::decay_t<decltype(function(detail::raw(first)[0]))>;
  return detail::scan<value>(policy, first, last, out, function, static_cast<const value*>(nullptr),
                             false, op);
}
template <detail::policy P, typename In, typename Out, typename Function, typename T,
          typename Operator>
Out transform_inclusive_scan(const P& policy, In first, In last, Out out, Function function,
                             T initial, Operator op) {
  return detail::scan<T>(policy, first, last, out, function, &initial, false, op);
}
template <detail::policy P, typename In, typename Out, typename Function, typename T,
          typename Operator>
Out transform_exclusive_scan(const P& policy, In first, In last, Out out, Function function,
                             T initial, Operator op) {
  return detail::scan<T>(policy, first, last, out, function, &initial, true, op);
}
template <detail::policy P, typename Keys, typename Values, typename Out,
          typename Equal = thrust::equal_to<>, typename Operator = thrust::plus<>>
Out inclusive_scan_by_key(const P& policy, Keys first, Keys last, Values values, Out out,
                          Equal equal = {}, Operator op = {}) {
  using value = detail::value_of<decltype(detail::raw(values))>;
  return detail::scan_by_key(policy, first, last, values, out, static_cast<const value*>(nullptr),
                             false, equal, op);
}
template <detail::policy P, typename Keys, typename Values, typename Out, typename T,
          typename Equal = thrust::equal_to<>, typename Operator = thrust::plus<>>
Out exclusive_scan_by_key(const P& policy, Keys first, Keys last, Values values, Out out, T initial,
                          Equal equal = {}, Operator op = {}) {
  return detail::scan_by_key(policy, first, last, values, out, &initial, true, equal, op);
}
template <detail::policy P, typename Keys, typename Values, typename Out>
Out exclusive_scan_by_key(const P& policy, Keys first, Keys last, Values values, Out out) {
  return thrust::exclusive_scan_by_key(policy, first, last, values, out,
                                       detail::value_of<decltype(detail::raw(values))>{});
}

// Sort.

template <detail::policy P, typename Iterator, typename Less = thrust::less<>>
void stable_sort(const P& policy, Iterator first, Iterator last, Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  const auto count = last - first;
  std::vector<detail::value_of<decltype(it)>> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::ptrdiff_t i = 0; i < count; ++i)
    values.push_back(it[i]);
  loops::stable_sort(values, less);
  for (std::ptrdiff_t i = 0; i < count; ++i)
    it[i] = values[static_cast<std::size_t>(i)];
}
template <detail::policy P, typename Iterator, typename Less = thrust::less<>>
void sort(const P& policy, Iterator first, Iterator last, Less less = {}) {
  thrust::stable_sort(policy, first, last, less);
}
template <detail::policy P, typename Keys, typename Values, typename Less = thrust::less<>>
void stable_sort_by_key(const P& policy, Keys first, Keys last, Values values, Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto keys = detail::raw(first);
  auto items = detail::raw(values);
  using key = detail::value_of<decltype(keys)>;
  using value = detail::value_of<decltype(items)>;
  struct entry {
    key by;
    value item;
  };
  const auto count = last - first;
  std::vector<entry> entries;
  entries.reserve(static_cast<std::size_t>(count));
  for (std::ptrdiff_t i = 0; i < count; ++i)
    entries.push_back(entry{keys[i], items[i]});
  loops::stable_sort(entries, [&](const entry& a, const entry& b) { return less(a.by, b.by); });
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    keys[i] = entries[static_cast<std::size_t>(i)].by;
    items[i] = entries[static_cast<std::size_t>(i)].item;
  }
}
template <detail::policy P, typename Keys, typename Values, typename Less = thrust::less<>>
void sort_by_key(const P& policy, Keys first, Keys last, Values values, Less less = {}) {
  thrust::stable_sort_by_key(policy, first, last, values, less);
}
template <detail::policy P, typename Iterator, typename Less = thrust::less<>>
Iterator is_sorted_until(const P& policy, Iterator first, Iterator last, Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (std::ptrdiff_t i = 1; i < last - first; ++i) {
    if (less(it[i], it[i - 1])) return first + i;
  }
  return last;
}
template <detail::policy P, typename Iterator, typename Less = thrust::less<>>
bool is_sorted(const P& policy, Iterator first, Iterator last, Less less = {}) {
  return thrust::is_sorted_until(policy, first, last, less) == last;
}

// Select.

template <detail::policy P, typename In, typename Stencil, typename Out, typename Predicate>
Out copy_if(const P& policy, In first, In last, Stencil stencil, Out out, Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto flags = detail::raw(stencil);
  auto to = detail::raw(out);
  std::ptrdiff_t kept = 0;
  for (std::ptrdiff_t i = 0; i < last - first; ++i) {
    if (predicate(flags[i])) to[kept++] = from[i];
  }
  return out + kept;
}
template <detail::policy P, typename In, typename Out, typename Predicate>
Out copy_if(const P& policy, In first, In last, Out out, Predicate predicate) {
  return thrust::copy_if(policy, first, last, first, out, predicate);
}
template <detail::policy P, typename In, typename Stencil, typename Out, typename Predicate>
Out remove_copy_if(const P& policy, In first, In last, Stencil stencil, Out out,
                   Predicate predicate) {
  return thrust::copy_if(policy, first, last, stencil, out,
                         [&](const auto& item) { return !predicate(item); });
}
template <detail::policy P, typename In, typename Out, typename Predicate>
Out remove_copy_if(const P& policy, In first, In last, Out out, Predicate predicate) {
  return thrust::remove_copy_if(policy, first, last, first, out, predicate);
}
template <detail::policy P, typename In, typename Out, typename T>
Out remove_copy(const P& policy, In first, In last, Out out, const T& value) {
  return thrust::remove_copy_if(policy, first, last, out,
                                [&](const auto& item) { return item == value; });
}
template <detail::policy P, typename Iterator, typename Predicate>
Iterator remove_if(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::remove_copy_if(policy, first, last, first, predicate);
}
template <detail::policy P, typename Iterator, typename Stencil, typename Predicate>
Iterator remove_if(const P& policy, Iterator first, Iterator last, Stencil stencil,
                   Predicate predicate) {
  return thrust::remove_copy_if(policy, first, last, stencil, first, predicate);
}
template <detail::policy P, typename Iterator, typename T>
Iterator remove(const P& policy, Iterator first, Iterator last, const T& value) {
  return thrust::remove_copy(policy, first, last, first, value);
}
template <detail::policy P, typename In, typename Out, typename Equal = thrust::equal_to<>>
Out unique_copy(const P& policy, In first, In last, Out out, Equal equal = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto to = detail::raw(out);
  const auto count = last - first;
  if (count == 0) return out;
  detail::value_of<decltype(from)> previous = from[0];
  std::ptrdiff_t kept = 0;
  to[kept++] = previous;
  for (std::ptrdiff_t i = 1; i < count; ++i) {
    const detail::value_of<decltype(from)> current = from[i];
    if (!equal(previous, current)) to[kept++] = current;
    previous = current;
  }
  return out + kept;
}
template <detail::policy P, typename Iterator, typename Equal = thrust::equal_to<>>
Iterator unique(const P& policy, Iterator first, Iterator last, Equal equal = {}) {
  return thrust::unique_copy(policy, first, last, first, equal);
}
template <detail::policy P, typename Iterator, typename Equal = thrust::equal_to<>>
std::ptrdiff_t unique_count(const P& policy, Iterator first, Iterator last, Equal equal = {}) {
  const thrust::discard_iterator none;
  return thrust::unique_copy(policy, first, last, none, equal) - none;
}
template <detail::policy P, typename Keys, typename Values, typename KeysOut, typename ValuesOut,
          typename Equal = thrust::equal_to<>>
pair<KeysOut, ValuesOut> unique_by_key_copy(const P& policy, Keys first, Keys last, Values values,
                                            KeysOut keys_out, ValuesOut values_out,
                                            Equal equal = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto keys = detail::raw(first);
  auto in = detail::raw(values);
  auto to_keys = detail::raw(keys_out);
  auto to_values = detail::raw(values_out);
  const auto count = last - first;
  if (count == 0) return {keys_out, values_out};
  detail::value_of<decltype(keys)> previous = keys[0];
  std::ptrdiff_t kept = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const detail::value_of<decltype(keys)> current = keys[i];
    if (i == 0 || !equal(previous, current)) {
      to_keys[kept] = current;
      to_values[kept++] = in[i];
    }
    previous = current;
  }
  return {keys_out + kept, values_out + kept};
}
template <detail::policy P, typename Keys, typename Values, typename Equal = thrust::equal_to<>>
pair<Keys, Values> unique_by_key(const P& policy, Keys first, Keys last, Values values,
                                 Equal equal = {}) {
  return thrust::unique_by_key_copy(policy, first, last, values, first, values, equal);
}

template <detail::policy P, typename In, typename Stencil, typename Selected, typename Rest,
          typename Predicate>
pair<Selected, Rest> stable_partition_copy(const P& policy, In first, In last, Stencil stencil,
                                           Selected selected, Rest rest, Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto from = detail::raw(first);
  auto flags = detail::raw(stencil);
  auto yes = detail::raw(selected);
  auto no = detail::raw(rest);
  std::ptrdiff_t taken = 0;
  std::ptrdiff_t left = 0;
  for (std::ptrdiff_t i = 0; i < last - first; ++i) {
    if (predicate(flags[i])) {
      yes[taken++] = from[i];
    } else {
      no[left++] = from[i];
    }
  }
  return {selected + taken, rest + left};
}
template <detail::policy P, typename In, typename Selected, typename Rest, typename Predicate>
pair<Selected, Rest> stable_partition_copy(const P& policy, In first, In last, Selected selected,
                                           Rest rest, Predicate predicate) {
  return thrust::stable_partition_copy(policy, first, last, first, selected, rest, predicate);
}
template <detail::policy P, typename In, typename Selected, typename Rest, typename Predicate>
pair<Selected, Rest> partition_copy(const P& policy, In first, In last, Selected selected,
                                    Rest rest, Predicate predicate) {
  return thrust::stable_partition_copy(policy, first, last, first, selected, rest, predicate);
}
template <detail::policy P, typename Iterator, typename Stencil, typename Predicate>
Iterator stable_partition(const P& policy, Iterator first, Iterator last, Stencil stencil,
                          Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  auto flags = detail::raw(stencil);
  std::vector<detail::value_of<decltype(it)>> rest;
  std::ptrdiff_t taken = 0;
  for (std::ptrdiff_t i = 0; i < last - first; ++i) {
    if (predicate(flags[i])) {
      it[taken++] = it[i];
    } else {
      rest.push_back(it[i]);
    }
  }
  std::ptrdiff_t to = taken;
  for (const auto& item : rest)
    it[to++] = item;
  return first + taken;
}
template <detail::policy P, typename Iterator, typename Predicate>
Iterator stable_partition(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::stable_partition(policy, first, last, first, predicate);
}
template <detail::policy P, typename Iterator, typename Predicate>
Iterator partition(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::stable_partition(policy, first, last, first, predicate);
}
template <detail::policy P, typename Iterator, typename Stencil, typename Predicate>
Iterator partition(const P& policy, Iterator first, Iterator last, Stencil stencil,
                   Predicate predicate) {
  return thrust::stable_partition(policy, first, last, stencil, predicate);
}

// Find and compare.

template <detail::policy P, typename Iterator, typename Predicate>
Iterator find_if(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (std::ptrdiff_t i = 0; i < last - first; ++i) {
    if (predicate(it[i])) return first + i;
  }
  return last;
}
template <detail::policy P, typename Iterator, typename Predicate>
Iterator find_if_not(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::find_if(policy, first, last, [&](const auto& item) { return !predicate(item); });
}
template <detail::policy P, typename Iterator, typename T>
Iterator find(const P& policy, Iterator first, Iterator last, const T& value) {
  return thrust::find_if(policy, first, last, [&](const auto& item) { return item == value; });
}
template <detail::policy P, typename Iterator, typename Predicate>
Iterator partition_point(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::find_if_not(policy, first, last, predicate);
}
template <detail::policy P, typename Iterator, typename Predicate>
bool is_partitioned(const P& policy, Iterator first, Iterator last, Predicate predicate) {
  return thrust::none_of(policy, thrust::partition_point(policy, first, last, predicate), last,
                         predicate);
}
template <detail::policy P, typename A, typename B, typename Equal = thrust::equal_to<>>
pair<A, B> mismatch(const P& policy, A first, A last, B second, Equal equal = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = detail::raw(first);
  auto b = detail::raw(second);
  std::ptrdiff_t i = 0;
  while (i < last - first && equal(a[i], b[i]))
    ++i;
  return {first + i, second + i};
}
template <detail::policy P, typename A, typename B, typename Equal = thrust::equal_to<>>
bool equal(const P& policy, A first, A last, B second, Equal equal = {}) {
  return thrust::mismatch(policy, first, last, second, equal).first == last;
}

// Search in sorted ranges.

namespace detail {

template <typename Iterator, typename T, typename Less>
std::ptrdiff_t lower_bound(Iterator it, std::ptrdiff_t count, const T& value, Less& less) {
  std::ptrdiff_t first = 0;
  while (count > 0) {
    const std::ptrdiff_t half = count / 2;
    if (less(it[first + half], value)) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
template <typename Iterator, typename T, typename Less>
std::ptrdiff_t upper_bound(Iterator it, std::ptrdiff_t count, const T& value, Less& less) {
  auto not_greater = [&](const auto& item, const T& bound) { return !less(bound, item); };
  return detail::lower_bound(it, count, value, not_greater);
}
template <typename Iterator, typename T, typename Less>
bool contains(Iterator it, std::ptrdiff_t count, const T& value, Less& less) {
  const std::ptrdiff_t at = detail::lower_bound(it, count, value, less);
  return at < count && !less(value, it[at]);
}

}  // namespace detail

template <detail::policy P, typename Iterator, typename T, typename Less = thrust::less<>>
Iterator lower_bound(const P& policy, Iterator first, Iterator last, const T& value,
                     Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  return first + detail::lower_bound(detail::raw(first), last - first, value, less);
}
template <detail::policy P, typename Iterator, typename T, typename Less = thrust::less<>>
Iterator upper_bound(const P& policy, Iterator first, Iterator last, const T& value,
                     Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  return first + detail::upper_bound(detail::raw(first), last - first, value, less);
}
template <detail::policy P, typename Iterator, typename T, typename Less = thrust::less<>>
pair<Iterator, Iterator> equal_range(const P& policy, Iterator first, Iterator last, const T& value,
                                     Less less = {}) {
  return {thrust::lower_bound(policy, first, last, value, less),
          thrust::upper_bound(policy, first, last, value, less)};
}
template <detail::policy P, typename Iterator, typename T, typename Less = thrust::less<>>
bool binary_search(const P& policy, Iterator first, Iterator last, const T& value, Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  return detail::contains(detail::raw(first), last - first, value, less);
}

// Many values at once.
#define OPSMITH_THRUST_SEARCH(NAME, SEARCH)                                                      \
  template <detail::policy P, typename Iterator, typename Values, typename Out, typename Less>   \
  Out NAME(const P& policy, Iterator first, Iterator last, Values values, Values values_end,     \
           Out out, Less less) {                                                                 \
    [[maybe_unused]] const auto scope = policy.scope();                                          \
    auto it = detail::raw(first);                                                                \
    auto from = detail::raw(values);                                                             \
    auto to = detail::raw(out);                                                                  \
    const auto count = values_end - values;                                                      \
    for (std::ptrdiff_t i = 0; i < count; ++i) {                                                 \
      const detail::value_of<decltype(from)> value = from[i];                                    \
      to[i] = static_cast<detail::value_of<Out>>(detail::SEARCH(it, last - first, value, less)); \
    }                                                                                            \
    return out + count;                                                                          \
  }                                                                                              \
  template <detail::policy P, typename Iterator, typename Values, typename Out>                  \
  Out NAME(const P& policy, Iterator first, Iterator last, Values values, Values values_end,     \
           Out out) {                                                                            \
    return thrust::NAME(policy, first, last, values, values_end, out, thrust::less<>{});         \
  }
OPSMITH_THRUST_SEARCH(lower_bound, lower_bound)
OPSMITH_THRUST_SEARCH(upper_bound, upper_bound)
OPSMITH_THRUST_SEARCH(binary_search, contains)
#undef OPSMITH_THRUST_SEARCH

// Merge and sets of sorted ranges.

namespace detail {

// Calls take(from_first, from_second) for each step of both ranges, as `keep` says.
struct set_rule {
  bool only_first;
  bool only_second;
  bool both;
};

template <typename P, typename A, typename B, typename Out, typename Less>
Out set_operation(const P& policy, A first, A first_end, B second, B second_end, Out out,
                  Less& less, set_rule rule) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = raw(first);
  auto b = raw(second);
  auto to = raw(out);
  const auto a_count = first_end - first;
  const auto b_count = second_end - second;
  std::ptrdiff_t i = 0;
  std::ptrdiff_t j = 0;
  std::ptrdiff_t kept = 0;
  while (i < a_count || j < b_count) {
    if (j == b_count || (i < a_count && less(a[i], b[j]))) {
      if (rule.only_first) to[kept++] = a[i];
      ++i;
    } else if (i == a_count || less(b[j], a[i])) {
      if (rule.only_second) to[kept++] = b[j];
      ++j;
    } else {
      if (rule.both) to[kept++] = a[i];
      ++i;
      ++j;
    }
  }
  return out + kept;
}

}  // namespace detail

#define OPSMITH_THRUST_SET(NAME, ONLY_FIRST, ONLY_SECOND, BOTH)                           \
  template <detail::policy P, typename A, typename B, typename Out,                       \
            typename Less = thrust::less<>>                                               \
  Out NAME(const P& policy, A first, A first_end, B second, B second_end, Out out,        \
           Less less = {}) {                                                              \
    return detail::set_operation(policy, first, first_end, second, second_end, out, less, \
                                 {ONLY_FIRST, ONLY_SECOND, BOTH});                        \
  }
OPSMITH_THRUST_SET(set_union, true, true, true)
OPSMITH_THRUST_SET(set_intersection, false, false, true)
OPSMITH_THRUST_SET(set_difference, true, false, false)
OPSMITH_THRUST_SET(set_symmetric_difference, true, true, false)
#undef OPSMITH_THRUST_SET

template <detail::policy P, typename A, typename B, typename Out, typename Less = thrust::less<>>
Out merge(const P& policy, A first, A first_end, B second, B second_end, Out out, Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = detail::raw(first);
  auto b = detail::raw(second);
  auto to = detail::raw(out);
  const auto a_count = first_end - first;
  const auto b_count = second_end - second;
  std::ptrdiff_t i = 0;
  std::ptrdiff_t j = 0;
  for (std::ptrdiff_t at = 0; at < a_count + b_count; ++at) {
    if (i == a_count || (j < b_count && less(b[j], a[i]))) {
      to[at] = b[j++];
    } else {
      to[at] = a[i++];
    }
  }
  return out + (a_count + b_count);
}
template <detail::policy P, typename A, typename B, typename AValues, typename BValues,
          typename KeysOut, typename ValuesOut, typename Less = thrust::less<>>
pair<KeysOut, ValuesOut> merge_by_key(const P& policy, A first, A first_end, B second, B second_end,
                                      AValues first_values, BValues second_values, KeysOut keys_out,
                                      ValuesOut values_out, Less less = {}) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto a = detail::raw(first);
  auto b = detail::raw(second);
  auto a_values = detail::raw(first_values);
  auto b_values = detail::raw(second_values);
  auto to_keys = detail::raw(keys_out);
  auto to_values = detail::raw(values_out);
  const auto a_count = first_end - first;
  const auto b_count = second_end - second;
  std::ptrdiff_t i = 0;
  std::ptrdiff_t j = 0;
  for (std::ptrdiff_t at = 0; at < a_count + b_count; ++at) {
    if (i == a_count || (j < b_count && less(b[j], a[i]))) {
      to_keys[at] = b[j];
      to_values[at] = b_values[j++];
    } else {
      to_keys[at] = a[i];
      to_values[at] = a_values[i++];
    }
  }
  return {keys_out + (a_count + b_count), values_out + (a_count + b_count)};
}

template <detail::policy P, typename Iterator, typename Random>
void shuffle(const P& policy, Iterator first, Iterator last, Random&& random) {
  [[maybe_unused]] const auto scope = policy.scope();
  auto it = detail::raw(first);
  for (std::ptrdiff_t i = last - first - 1; i > 0; --i) {
    const auto other = static_cast<std::ptrdiff_t>(random() % static_cast<std::size_t>(i + 1));
    const detail::value_of<decltype(it)> kept = it[i];
    it[i] = it[other];
    it[other] = kept;
  }
}

OPSMITH_THRUST_WITHOUT_POLICY(for_each_n)
OPSMITH_THRUST_WITHOUT_POLICY(for_each)
OPSMITH_THRUST_WITHOUT_POLICY(fill_n)
OPSMITH_THRUST_WITHOUT_POLICY(fill)
OPSMITH_THRUST_WITHOUT_POLICY(uninitialized_fill_n)
OPSMITH_THRUST_WITHOUT_POLICY(uninitialized_fill)
OPSMITH_THRUST_WITHOUT_POLICY(generate_n)
OPSMITH_THRUST_WITHOUT_POLICY(generate)
OPSMITH_THRUST_WITHOUT_POLICY(tabulate)
OPSMITH_THRUST_WITHOUT_POLICY(sequence)
OPSMITH_THRUST_WITHOUT_POLICY(copy_n)
OPSMITH_THRUST_WITHOUT_POLICY(copy)
OPSMITH_THRUST_WITHOUT_POLICY(uninitialized_copy_n)
OPSMITH_THRUST_WITHOUT_POLICY(uninitialized_copy)
OPSMITH_THRUST_WITHOUT_POLICY(swap_ranges)
OPSMITH_THRUST_WITHOUT_POLICY(reverse)
OPSMITH_THRUST_WITHOUT_POLICY(reverse_copy)
OPSMITH_THRUST_WITHOUT_POLICY(transform)
OPSMITH_THRUST_WITHOUT_POLICY(transform_if)
OPSMITH_THRUST_WITHOUT_POLICY(adjacent_difference)
OPSMITH_THRUST_WITHOUT_POLICY(gather)
OPSMITH_THRUST_WITHOUT_POLICY(gather_if)
OPSMITH_THRUST_WITHOUT_POLICY(scatter)
OPSMITH_THRUST_WITHOUT_POLICY(scatter_if)
OPSMITH_THRUST_WITHOUT_POLICY(replace)
OPSMITH_THRUST_WITHOUT_POLICY(replace_if)
OPSMITH_THRUST_WITHOUT_POLICY(replace_copy)
OPSMITH_THRUST_WITHOUT_POLICY(replace_copy_if)
OPSMITH_THRUST_WITHOUT_POLICY(transform_reduce)
OPSMITH_THRUST_WITHOUT_POLICY(reduce)
OPSMITH_THRUST_WITHOUT_POLICY(inner_product)
OPSMITH_THRUST_WITHOUT_POLICY(count)
OPSMITH_THRUST_WITHOUT_POLICY(count_if)
OPSMITH_THRUST_WITHOUT_POLICY(all_of)
OPSMITH_THRUST_WITHOUT_POLICY(any_of)
OPSMITH_THRUST_WITHOUT_POLICY(none_of)
OPSMITH_THRUST_WITHOUT_POLICY(minmax_element)
OPSMITH_THRUST_WITHOUT_POLICY(min_element)
OPSMITH_THRUST_WITHOUT_POLICY(max_element)
OPSMITH_THRUST_WITHOUT_POLICY(reduce_by_key)
OPSMITH_THRUST_WITHOUT_POLICY(inclusive_scan)
OPSMITH_THRUST_WITHOUT_POLICY(exclusive_scan)
OPSMITH_THRUST_WITHOUT_POLICY(transform_inclusive_scan)
OPSMITH_THRUST_WITHOUT_POLICY(transform_exclusive_scan)
OPSMITH_THRUST_WITHOUT_POLICY(inclusive_scan_by_key)
OPSMITH_THRUST_WITHOUT_POLICY(exclusive_scan_by_key)
OPSMITH_THRUST_WITHOUT_POLICY(stable_sort)
OPSMITH_THRUST_WITHOUT_POLICY(sort)
OPSMITH_THRUST_WITHOUT_POLICY(stable_sort_by_key)
OPSMITH_THRUST_WITHOUT_POLICY(sort_by_key)
OPSMITH_THRUST_WITHOUT_POLICY(is_sorted_until)
OPSMITH_THRUST_WITHOUT_POLICY(is_sorted)
OPSMITH_THRUST_WITHOUT_POLICY(copy_if)
OPSMITH_THRUST_WITHOUT_POLICY(remove_copy_if)
OPSMITH_THRUST_WITHOUT_POLICY(remove_copy)
OPSMITH_THRUST_WITHOUT_POLICY(remove_if)
OPSMITH_THRUST_WITHOUT_POLICY(remove)
OPSMITH_THRUST_WITHOUT_POLICY(unique_copy)
OPSMITH_THRUST_WITHOUT_POLICY(unique)
OPSMITH_THRUST_WITHOUT_POLICY(unique_count)
OPSMITH_THRUST_WITHOUT_POLICY(unique_by_key_copy)
OPSMITH_THRUST_WITHOUT_POLICY(unique_by_key)
OPSMITH_THRUST_WITHOUT_POLICY(stable_partition_copy)
OPSMITH_THRUST_WITHOUT_POLICY(partition_copy)
OPSMITH_THRUST_WITHOUT_POLICY(stable_partition)
OPSMITH_THRUST_WITHOUT_POLICY(partition)
OPSMITH_THRUST_WITHOUT_POLICY(find_if)
OPSMITH_THRUST_WITHOUT_POLICY(find_if_not)
OPSMITH_THRUST_WITHOUT_POLICY(find)
OPSMITH_THRUST_WITHOUT_POLICY(partition_point)
OPSMITH_THRUST_WITHOUT_POLICY(is_partitioned)
OPSMITH_THRUST_WITHOUT_POLICY(mismatch)
OPSMITH_THRUST_WITHOUT_POLICY(equal)
OPSMITH_THRUST_WITHOUT_POLICY(lower_bound)
OPSMITH_THRUST_WITHOUT_POLICY(upper_bound)
OPSMITH_THRUST_WITHOUT_POLICY(equal_range)
OPSMITH_THRUST_WITHOUT_POLICY(binary_search)
OPSMITH_THRUST_WITHOUT_POLICY(set_union)
OPSMITH_THRUST_WITHOUT_POLICY(set_intersection)
OPSMITH_THRUST_WITHOUT_POLICY(set_difference)
OPSMITH_THRUST_WITHOUT_POLICY(set_symmetric_difference)
OPSMITH_THRUST_WITHOUT_POLICY(merge)
OPSMITH_THRUST_WITHOUT_POLICY(merge_by_key)
OPSMITH_THRUST_WITHOUT_POLICY(shuffle)

}  // namespace thrust
