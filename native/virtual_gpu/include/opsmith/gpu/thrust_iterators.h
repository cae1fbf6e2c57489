// Iterators of Thrust that compute what they refer to.
#pragma once
#include <opsmith/gpu/ignored_value.h>
#include <opsmith/gpu/index_iterator.h>
#include <opsmith/gpu/thrust_functional.h>
#include <opsmith/gpu/thrust_policy.h>

namespace thrust {

using std::iterator_traits;
template <typename Iterator>
using iterator_value_t = typename std::iterator_traits<Iterator>::value_type;
template <typename Iterator>
using iterator_difference_t = typename std::iterator_traits<Iterator>::difference_type;
template <typename Iterator>
using iterator_reference_t = typename std::iterator_traits<Iterator>::reference;
template <typename Iterator>
struct iterator_value {
  using type = iterator_value_t<Iterator>;
};
template <typename Iterator>
struct iterator_difference {
  using type = iterator_difference_t<Iterator>;
};
template <typename Iterator>
struct iterator_reference {
  using type = iterator_reference_t<Iterator>;
};
struct use_default {};

template <typename T, typename System = use_default, typename Traversal = use_default,
          typename Difference = use_default>
class counting_iterator
    : public opsmith::gpu::index_iterator<counting_iterator<T, System, Traversal, Difference>, T,
                                          T> {
 public:
  counting_iterator() = default;
  explicit counting_iterator(T first) : first_(first) {}
  T get(std::ptrdiff_t at) const { return static_cast<T>(first_ + at); }
  T base() const { return **this; }

  // Two iterators may have begun at different numbers.
  std::ptrdiff_t minus(const counting_iterator& other) const {
    return static_cast<std::ptrdiff_t>(**this) - static_cast<std::ptrdiff_t>(*other);
  }

 private:
  T first_{};
};
template <typename T>
counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}

template <typename T>
class constant_iterator : public opsmith::gpu::index_iterator<constant_iterator<T>, T, T> {
 public:
  constant_iterator() = default;
  constant_iterator(const T& value, std::ptrdiff_t at = 0) : value_(value) { this->at_ = at; }
  T get(std::ptrdiff_t) const { return value_; }
  const T& value() const { return value_; }

 private:
  T value_{};
};
template <typename T>
constant_iterator<T> make_constant_iterator(const T& value, std::ptrdiff_t at = 0) {
  return constant_iterator<T>(value, at);
}

class discard_iterator
    : public opsmith::gpu::index_iterator<discard_iterator, opsmith::gpu::ignored_value,
                                          opsmith::gpu::ignored_value> {
 public:
  discard_iterator(std::ptrdiff_t at = 0) { this->at_ = at; }
  opsmith::gpu::ignored_value get(std::ptrdiff_t) const { return {}; }
};
inline discard_iterator make_discard_iterator(std::ptrdiff_t at = 0) {
  return discard_iterator(at);
}

namespace detail {

// A function may return a reference into what it was given: that must outlive the call.
template <typename Function, typename Iterator>
using transformed = std::conditional_t<
    std::is_lvalue_reference_v<iterator_reference_t<Iterator>>,
    std::invoke_result_t<Function&, iterator_reference_t<Iterator>>,
    std::decay_t<std::invoke_result_t<Function&, iterator_reference_t<Iterator>>>>;

}  // namespace detail

template <typename Function, typename Iterator, typename Reference = use_default,
          typename Value = use_default>
class transform_iterator
    : public opsmith::gpu::index_iterator<transform_iterator<Function, Iterator, Reference, Value>,
                                          std::decay_t<detail::transformed<Function, Iterator>>,
                                          detail::transformed<Function, Iterator>> {
  using result = detail::transformed<Function, Iterator>;

 public:
  transform_iterator(Iterator base, Function function) : base_(base), function_(function) {}
  explicit transform_iterator(Iterator base) : base_(base), function_() {}
  result get(std::ptrdiff_t at) const { return function_(base_[at]); }
  Iterator base() const { return base_ + this->at_; }
  Function functor() const { return function_; }
  auto opsmith_raw() const {
    auto base = detail::raw(base_ + this->at_);
    return transform_iterator<Function, decltype(base), Reference, Value>(base, function_);
  }

  std::ptrdiff_t minus(const transform_iterator& other) const { return base() - other.base(); }

 private:
  Iterator base_;
  mutable Function function_;
};
template <typename Iterator, typename Function>
transform_iterator<Function, Iterator> make_transform_iterator(Iterator base, Function function) {
  return transform_iterator<Function, Iterator>(base, function);
}

// Assigns the function's result to the iterator below.
template <typename Function, typename Iterator>
class transform_output_iterator
    : public opsmith::gpu::index_iterator<transform_output_iterator<Function, Iterator>, void,
                                          void> {
 public:
  struct place {
    Iterator to;
    Function& function;
    template <typename T>
    const place& operator=(const T& value) const {
      *to = function(value);
      return *this;
    }
  };
  transform_output_iterator(Iterator base, Function function) : base_(base), function_(function) {}
  place operator*() const { return {base_ + this->at_, function_}; }
  place operator[](std::ptrdiff_t i) const { return {base_ + (this->at_ + i), function_}; }
  auto opsmith_raw() const {
    auto base = detail::raw(base_ + this->at_);
    return transform_output_iterator<Function, decltype(base)>(base, function_);
  }

 private:
  Iterator base_;
  mutable Function function_;
};
template <typename Iterator, typename Function>
transform_output_iterator<Function, Iterator> make_transform_output_iterator(Iterator base,
                                                                             Function function) {
  return transform_output_iterator<Function, Iterator>(base, function);
}

template <typename Elements, typename Indices>
class permutation_iterator
    : public opsmith::gpu::index_iterator<permutation_iterator<Elements, Indices>,
                                          iterator_value_t<Elements>,
                                          iterator_reference_t<Elements>> {
 public:
  permutation_iterator() = default;
  permutation_iterator(Elements elements, Indices indices)
      : elements_(elements), indices_(indices) {}
  iterator_reference_t<Elements> get(std::ptrdiff_t at) const {
    return elements_[static_cast<std::ptrdiff_t>(indices_[at])];
  }
  Indices base() const { return indices_ + this->at_; }
  auto opsmith_raw() const {
    auto elements = detail::raw(elements_);
    auto indices = detail::raw(base());
    return permutation_iterator<decltype(elements), decltype(indices)>(elements, indices);
  }

  std::ptrdiff_t minus(const permutation_iterator& other) const { return base() - other.base(); }

 private:
  Elements elements_{};
  Indices indices_{};
};
template <typename Elements, typename Indices>
permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements,
                                                                  Indices indices) {
  return permutation_iterator<Elements, Indices>(elements, indices);
}

template <typename Iterator>
class reverse_iterator
    : public opsmith::gpu::index_iterator<reverse_iterator<Iterator>, iterator_value_t<Iterator>,
                                          iterator_reference_t<Iterator>> {
 public:
  reverse_iterator() = default;
  explicit reverse_iterator(Iterator base) : base_(base) {}
  iterator_reference_t<Iterator> get(std::ptrdiff_t at) const { return base_[-1 - at]; }
  Iterator base() const { return base_ - this->at_; }
  auto opsmith_raw() const {
    auto base = detail::raw(this->base());
    return reverse_iterator<decltype(base)>(base);
  }

  std::ptrdiff_t minus(const reverse_iterator& other) const { return other.base() - base(); }

 private:
  Iterator base_{};
};
template <typename Iterator>
reverse_iterator<Iterator> make_reverse_iterator(Iterator base) {
  return reverse_iterator<Iterator>(base);
}

template <typename Tuple>
class zip_iterator;
template <typename... Iterators>
class zip_iterator<std::tuple<Iterators...>>
    : public opsmith::gpu::index_iterator<zip_iterator<std::tuple<Iterators...>>,
                                          std::tuple<iterator_value_t<Iterators>...>,
                                          std::tuple<iterator_reference_t<Iterators>...>> {
  using references = std::tuple<iterator_reference_t<Iterators>...>;

 public:
  zip_iterator() = default;
  zip_iterator(std::tuple<Iterators...> iterators) : iterators_(iterators) {}
  template <typename... Others>
    requires(sizeof...(Others) == sizeof...(Iterators) && sizeof...(Others) > 1)
  explicit zip_iterator(Others... iterators) : iterators_(iterators...) {}
  references get(std::ptrdiff_t at) const {
    return std::apply([&](const auto&... each) { return references(each[at]...); }, iterators_);
  }
  std::tuple<Iterators...> get_iterator_tuple() const {
    return std::apply(
        [&](const auto&... each) { return std::tuple<Iterators...>(each + this->at_...); },
        iterators_);
  }
  auto opsmith_raw() const {
    return std::apply(
        [&](const auto&... each) {
          using tuple = std::tuple<decltype(detail::raw(each))...>;
          return zip_iterator<tuple>(tuple(detail::raw(each + this->at_)...));
        },
        iterators_);
  }

  std::ptrdiff_t minus(const zip_iterator& other) const {
    return std::get<0>(get_iterator_tuple()) - std::get<0>(other.get_iterator_tuple());
  }

 private:
  std::tuple<Iterators...> iterators_;
};
template <typename... Iterators>
zip_iterator<std::tuple<Iterators...>> make_zip_iterator(std::tuple<Iterators...> iterators) {
  return zip_iterator<std::tuple<Iterators...>>(iterators);
}
template <typename... Iterators>
  requires(sizeof...(Iterators) > 1)
zip_iterator<std::tuple<Iterators...>> make_zip_iterator(Iterators... iterators) {
  return zip_iterator<std::tuple<Iterators...>>(std::tuple<Iterators...>(iterators...));
}

namespace detail {

template <typename T, typename A, typename B, typename C>
struct memory_of<counting_iterator<T, A, B, C>> {
  static constexpr memory value = memory::any;
};
template <typename T>
struct memory_of<constant_iterator<T>> {
  static constexpr memory value = memory::any;
};
template <>
struct memory_of<discard_iterator> {
  static constexpr memory value = memory::any;
};
template <typename Function, typename Iterator, typename A, typename B>
struct memory_of<transform_iterator<Function, Iterator, A, B>> : memory_of<Iterator> {};
template <typename Function, typename Iterator>
struct memory_of<transform_output_iterator<Function, Iterator>> : memory_of<Iterator> {};
template <typename Iterator>
struct memory_of<reverse_iterator<Iterator>> : memory_of<Iterator> {};
template <typename Iterator>
struct memory_of<std::reverse_iterator<Iterator>> : memory_of<Iterator> {};
template <typename Elements, typename Indices>
struct memory_of<permutation_iterator<Elements, Indices>> {
  static constexpr memory value = common_memory<Elements, Indices>;
};
template <typename... Iterators>
struct memory_of<zip_iterator<std::tuple<Iterators...>>> {
  static constexpr memory value = common_memory<Iterators...>;
};

}  // namespace detail

template <typename Iterator>
auto distance(Iterator first, Iterator last) {
  return last - first;
}
template <typename Iterator, typename Distance>
void advance(Iterator& it, Distance n) {
  it += n;
}
template <typename Iterator>
Iterator next(Iterator it, std::ptrdiff_t n = 1) {
  return it + n;
}
template <typename Iterator>
Iterator prev(Iterator it, std::ptrdiff_t n = 1) {
  return it - n;
}

}  // namespace thrust
