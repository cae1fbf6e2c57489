#pragma once

// How a C++ parameter or result type travels through the dispatcher: which type the schema shows,
// and the conversion from and to an IValue. pybind11 takes more types than the dispatcher does
// (int, float, size_t, const char*, std::map, …); they travel as the next wider one and are checked
// on arrival. Kernels made of these are boxed, which spares libtorch's own wrappers: those take
// 140 to 290 ms of compile time for each new signature.

#include <ATen/core/Dict.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <c10/util/Exception.h>
#include <c10/util/OptionalArrayRef.h>

#include <array>
#include <complex>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)
namespace opsmith {

template <typename...>
inline constexpr bool always_false = false;

// The attribute by which python_only.h speaks at the user's own line.
#if defined(__clang__) || __GNUC__ >= 12
#define OPSMITH_KNOWS_UNAVAILABLE
#endif

/// Base of everything that only exists where there is a Python interpreter.
struct python_only {};

/// Which argument is being converted, for messages.
struct argument_place {
  const c10::FunctionSchema& schema;
  std::size_t index;
};

// Shared by all signatures: bound_function_runtime.h.
at::Tensor take_tensor(c10::IValue& value);
c10::IValue make_list(c10::TypePtr element_type, std::vector<c10::IValue> elements);
[[noreturn]] void fail_integer(const argument_place& place, int64_t value, bool is_signed,
                               std::size_t bytes);
[[noreturn]] void fail_length(const argument_place& place, std::size_t expected, std::size_t given);

/// carrier<T>: `held` is what keeps the value alive during the call, `type(fake)` the schema's
/// type (the fake one is how the TorchScript compiler sees ScalarType and SymInt: as int), `take`
/// makes a `held` from an IValue, `give` an IValue from a result.
template <typename T, typename = void>
struct carrier {
  static constexpr bool supported = false;
};

/// Types that IValue knows as they are.
template <typename T>
struct native_carrier {
  static constexpr bool supported = true;
  using held = T;
  static c10::TypePtr type(bool fake) {
    return fake ? c10::getFakeTypePtrCopy<T>() : c10::getTypePtrCopy<T>();
  }
  static T take(c10::IValue& value, const argument_place&) { return std::move(value).to<T>(); }
  static c10::IValue give(T value) { return c10::IValue(std::move(value)); }
};

template <>
struct carrier<at::Scalar> : native_carrier<at::Scalar> {};
template <>
struct carrier<at::Device> : native_carrier<at::Device> {};
template <>
struct carrier<at::ScalarType> : native_carrier<at::ScalarType> {};
template <>
struct carrier<at::Layout> : native_carrier<at::Layout> {};
template <>
struct carrier<at::MemoryFormat> : native_carrier<at::MemoryFormat> {};
template <>
struct carrier<at::Generator> : native_carrier<at::Generator> {};
template <>
struct carrier<c10::Storage> : native_carrier<c10::Storage> {};
template <>
struct carrier<c10::SymInt> : native_carrier<c10::SymInt> {};
template <>
struct carrier<c10::complex<double>> : native_carrier<c10::complex<double>> {};
template <typename T>
struct carrier<c10::intrusive_ptr<T>> : native_carrier<c10::intrusive_ptr<T>> {};
template <typename T>
struct carrier<c10::List<T>> : native_carrier<c10::List<T>> {};
template <typename K, typename V>
struct carrier<c10::Dict<K, V>> : native_carrier<c10::Dict<K, V>> {};

template <>
struct carrier<c10::IValue> {
  static constexpr bool supported = true;
  using held = c10::IValue;
  static c10::TypePtr type(bool) { return c10::AnyType::get(); }
  static c10::IValue take(c10::IValue& value, const argument_place&) { return std::move(value); }
  static c10::IValue give(c10::IValue value) { return value; }
};

template <>
struct carrier<at::Tensor> {
  static constexpr bool supported = true;
  using held = at::Tensor;
  static c10::TypePtr type(bool) { return c10::TensorType::get(); }
  /// None arrives where the default of a Tensor parameter is None: an undefined tensor in C++.
  static at::Tensor take(c10::IValue& value, const argument_place&) { return take_tensor(value); }
  static c10::IValue give(at::Tensor value) { return c10::IValue(std::move(value)); }
};

template <>
struct carrier<bool> {
  static constexpr bool supported = true;
  using held = bool;
  static c10::TypePtr type(bool) { return c10::BoolType::get(); }
  static bool take(c10::IValue& value, const argument_place&) { return value.toBool(); }
  static c10::IValue give(bool value) { return c10::IValue(value); }
};

template <typename T>
struct carrier<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                   !std::is_same_v<T, char>>> {
  static constexpr bool supported = true;
  using held = T;
  static c10::TypePtr type(bool) { return c10::IntType::get(); }
  static T take(c10::IValue& value, const argument_place& place) {
    const int64_t wide = value.toInt();
    if (!std::in_range<T>(wide)) fail_integer(place, wide, std::is_signed_v<T>, sizeof(T));
    return static_cast<T>(wide);
  }
  static c10::IValue give(T value) {
    TORCH_CHECK_VALUE(std::in_range<int64_t>(value), "result ", value, " does not fit an int64");
    return c10::IValue(static_cast<int64_t>(value));
  }
};

template <typename T>
struct carrier<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr bool supported = true;
  using held = T;
  static c10::TypePtr type(bool) { return c10::FloatType::get(); }
  static T take(c10::IValue& value, const argument_place&) {
    return static_cast<T>(value.isInt() ? static_cast<double>(value.toInt()) : value.toDouble());
  }
  static c10::IValue give(T value) { return c10::IValue(static_cast<double>(value)); }
};

template <typename T>
struct carrier<std::complex<T>> {
  static constexpr bool supported = true;
  using held = std::complex<T>;
  static c10::TypePtr type(bool) { return c10::ComplexType::get(); }
  static held take(c10::IValue& value, const argument_place&) {
    const auto number = value.toScalar().to<c10::complex<double>>();
    return held(static_cast<T>(number.real()), static_cast<T>(number.imag()));
  }
  static c10::IValue give(held value) {
    return c10::IValue(c10::complex<double>(value.real(), value.imag()));
  }
};

template <>
struct carrier<std::string> {
  static constexpr bool supported = true;
  using held = std::string;
  static c10::TypePtr type(bool) { return c10::StringType::get(); }
  static std::string take(c10::IValue& value, const argument_place&) { return value.toStringRef(); }
  static c10::IValue give(std::string value) { return c10::IValue(std::move(value)); }
};

template <>
struct carrier<const char*> : carrier<std::string> {
  static const char* view(const std::string& text) { return text.c_str(); }
};

template <>
struct carrier<std::string_view> : carrier<std::string> {
  static std::string_view view(const std::string& text) { return text; }
  static c10::IValue give(std::string_view value) { return c10::IValue(std::string(value)); }
};

template <typename T>
struct carrier<std::optional<T>, std::enable_if_t<carrier<T>::supported>> {
  static constexpr bool supported = true;
  using held = std::optional<T>;
  static c10::TypePtr type(bool fake) { return c10::OptionalType::create(carrier<T>::type(fake)); }
  static held take(c10::IValue& value, const argument_place& place) {
    if (value.isNone()) return std::nullopt;
    return carrier<T>::take(value, place);
  }
  static c10::IValue give(held value) {
    return value ? carrier<T>::give(*std::move(value)) : c10::IValue();
  }
};

template <typename T>
struct carrier<std::vector<T>, std::enable_if_t<carrier<T>::supported>> {
  static constexpr bool supported = true;
  using held = std::vector<T>;
  static c10::TypePtr type(bool fake) { return c10::ListType::create(carrier<T>::type(fake)); }
  static held take(c10::IValue& value, const argument_place& place) {
    held elements;
    const auto source = value.toListRef();
    elements.reserve(source.size());
    for (c10::IValue element : source) {
      elements.push_back(carrier<T>::take(element, place));
    }
    return elements;
  }
  template <typename List>
  static c10::IValue give_all(const List& elements) {
    std::vector<c10::IValue> values;
    values.reserve(elements.size());
    for (const auto& element : elements)
      values.emplace_back(carrier<T>::give(element));
    return make_list(carrier<T>::type(true), std::move(values));
  }
  static c10::IValue give(const held& elements) { return give_all(elements); }
};

/// Views of a list: a vector holds the elements during the call.
template <typename T>
struct carrier<c10::ArrayRef<T>, std::enable_if_t<carrier<T>::supported>>
    : carrier<std::vector<T>> {
  static c10::ArrayRef<T> view(const std::vector<T>& elements) { return elements; }
  static c10::IValue give(c10::ArrayRef<T> elements) {
    return carrier<std::vector<T>>::give_all(elements);
  }
};

template <typename T>
struct carrier<c10::OptionalArrayRef<T>, std::enable_if_t<carrier<T>::supported>>
    : carrier<std::optional<std::vector<T>>> {
  static c10::OptionalArrayRef<T> view(const std::optional<std::vector<T>>& elements) {
    return elements ? c10::OptionalArrayRef<T>(*elements) : c10::OptionalArrayRef<T>();
  }
};

template <typename T, std::size_t N>
struct carrier<std::array<T, N>, std::enable_if_t<carrier<T>::supported>> {
  static constexpr bool supported = true;
  using held = std::array<T, N>;
  static c10::TypePtr type(bool fake) { return c10::ListType::create(carrier<T>::type(fake)); }
  static held take(c10::IValue& value, const argument_place& place) {
    auto elements = carrier<std::vector<T>>::take(value, place);
    if (elements.size() != N) fail_length(place, N, elements.size());
    held array{};
    std::move(elements.begin(), elements.end(), array.begin());
    return array;
  }
  static c10::IValue give(const held& elements) {
    return carrier<std::vector<T>>::give_all(elements);
  }
};

template <typename Tuple, typename... T>
struct tuple_carrier {
  static constexpr bool supported = true;
  using held = Tuple;
  static c10::TypePtr type(bool fake) {
    return c10::TupleType::create({carrier<T>::type(fake)...});
  }
  static held take(c10::IValue& value, const argument_place& place) {
    return take_each(value, place, std::index_sequence_for<T...>());
  }
  static c10::IValue give(held value) {
    return give_each(std::move(value), std::index_sequence_for<T...>());
  }

 private:
  template <std::size_t... I>
  static held take_each(c10::IValue& value, const argument_place& place,
                        std::index_sequence<I...>) {
    std::vector<c10::IValue> elements = value.toTupleRef().elements().vec();
    return held{carrier<T>::take(elements.at(I), place)...};
  }
  template <std::size_t... I>
  static c10::IValue give_each(held value, std::index_sequence<I...>) {
    return c10::ivalue::Tuple::create(
        std::vector<c10::IValue>{carrier<T>::give(std::get<I>(std::move(value)))...});
  }
};

template <typename... T>
struct carrier<std::tuple<T...>, std::enable_if_t<(carrier<T>::supported && ...)>>
    : tuple_carrier<std::tuple<T...>, T...> {};
template <typename A, typename B>
struct carrier<std::pair<A, B>, std::enable_if_t<carrier<A>::supported && carrier<B>::supported>>
    : tuple_carrier<std::pair<A, B>, A, B> {};

template <typename Map, typename K, typename V>
struct map_carrier {
  static constexpr bool supported = true;
  using held = Map;
  static c10::TypePtr type(bool fake) {
    return c10::DictType::create(carrier<K>::type(fake), carrier<V>::type(fake));
  }
  static held take(c10::IValue& value, const argument_place& place) {
    held map;
    for (const auto& entry : value.toGenericDict()) {
      c10::IValue key = entry.key();
      c10::IValue element = entry.value();
      map.emplace(carrier<K>::take(key, place), carrier<V>::take(element, place));
    }
    return map;
  }
  static c10::IValue give(const held& map) {
    c10::impl::GenericDict dict(carrier<K>::type(true), carrier<V>::type(true));
    for (const auto& [key, value] : map)
      dict.insert(carrier<K>::give(key), carrier<V>::give(value));
    return c10::IValue(std::move(dict));
  }
};

template <typename K, typename V>
struct carrier<std::map<K, V>, std::enable_if_t<carrier<K>::supported && carrier<V>::supported>>
    : map_carrier<std::map<K, V>, K, V> {};
template <typename K, typename V>
struct carrier<std::unordered_map<K, V>,
               std::enable_if_t<carrier<K>::supported && carrier<V>::supported>>
    : map_carrier<std::unordered_map<K, V>, K, V> {};

/// Hands a held value to a parameter declared as P: by view, by reference or moved.
template <typename P>
decltype(auto) pass(typename carrier<std::remove_cvref_t<P>>::held& held) {
  using carried = carrier<std::remove_cvref_t<P>>;
  if constexpr (requires { carried::view(held); }) {
    return carried::view(held);
  } else if constexpr (std::is_lvalue_reference_v<P>) {
    return static_cast<P>(held);
  } else {
    return std::move(held);
  }
}

}  // namespace opsmith
#pragma GCC visibility pop
