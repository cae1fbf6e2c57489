// Functors, placeholders, tuples and pairs of Thrust.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

namespace thrust {

using std::get;
using std::ignore;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
struct null_type {};

template <typename Argument, typename Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <typename First, typename Second, typename Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};

#define OPSMITH_THRUST_BINARY(NAME, RESULT, TYPE)             \
  template <typename T = void>                                \
  struct NAME {                                               \
    using first_argument_type = T;                            \
    using second_argument_type = T;                           \
    using result_type = TYPE;                                 \
    constexpr TYPE operator()(const T& a, const T& b) const { \
      return RESULT;                                          \
    }                                                         \
  };                                                          \
  template <>                                                 \
  struct NAME<void> {                                         \
    using is_transparent = void;                              \
    template <typename A, typename B>                         \
    constexpr auto operator()(A&& a, B&& b) const {           \
      return RESULT;                                          \
    }                                                         \
  };
OPSMITH_THRUST_BINARY(plus, a + b, T)
OPSMITH_THRUST_BINARY(minus, a - b, T)
OPSMITH_THRUST_BINARY(multiplies, a* b, T)
OPSMITH_THRUST_BINARY(divides, a / b, T)
OPSMITH_THRUST_BINARY(modulus, a % b, T)
OPSMITH_THRUST_BINARY(bit_and, a& b, T)
OPSMITH_THRUST_BINARY(bit_or, a | b, T)
OPSMITH_THRUST_BINARY(bit_xor, a ^ b, T)
OPSMITH_THRUST_BINARY(equal_to, a == b, bool)
OPSMITH_THRUST_BINARY(not_equal_to, a != b, bool)
OPSMITH_THRUST_BINARY(greater, a > b, bool)
OPSMITH_THRUST_BINARY(less, a < b, bool)
OPSMITH_THRUST_BINARY(greater_equal, a >= b, bool)
OPSMITH_THRUST_BINARY(less_equal, a <= b, bool)
OPSMITH_THRUST_BINARY(logical_and, a&& b, bool)
OPSMITH_THRUST_BINARY(logical_or, a || b, bool)
OPSMITH_THRUST_BINARY(maximum, a < b ? b : a, T)
OPSMITH_THRUST_BINARY(minimum, b < a ? b : a, T)
#undef OPSMITH_THRUST_BINARY

#define OPSMITH_THRUST_UNARY(NAME, RESULT, TYPE)  \
  template <typename T = void>                    \
  struct NAME {                                   \
    using argument_type = T;                      \
    using result_type = TYPE;                     \
    constexpr TYPE operator()(const T& a) const { \
      return RESULT;                              \
    }                                             \
  };                                              \
  template <>                                     \
  struct NAME<void> {                             \
    using is_transparent = void;                  \
    template <typename A>                         \
    constexpr auto operator()(A&& a) const {      \
      return RESULT;                              \
    }                                             \
  };
OPSMITH_THRUST_UNARY(negate, -a, T)
OPSMITH_THRUST_UNARY(square, a* a, T)
OPSMITH_THRUST_UNARY(logical_not, !a, bool)
#undef OPSMITH_THRUST_UNARY

template <typename T = void>
struct identity {
  using argument_type = T;
  using result_type = T;
  constexpr const T& operator()(const T& a) const { return a; }
};
template <>
struct identity<void> {
  template <typename A>
  constexpr A&& operator()(A&& a) const {
    return std::forward<A>(a);
  }
};
template <typename T1 = void, typename T2 = void>
struct project1st {
  template <typename A, typename B>
  constexpr auto operator()(const A& a, const B&) const {
    return a;
  }
};
template <typename T1 = void, typename T2 = void>
struct project2nd {
  template <typename A, typename B>
  constexpr auto operator()(const A&, const B& b) const {
    return b;
  }
};

template <typename Predicate>
struct unary_negate {
  Predicate predicate;
  template <typename A>
  bool operator()(const A& a) const {
    return !predicate(a);
  }
};
template <typename Predicate>
unary_negate<Predicate> not1(Predicate predicate) {
  return {predicate};
}
template <typename Predicate>
struct binary_negate {
  Predicate predicate;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return !predicate(a, b);
  }
};
template <typename Predicate>
binary_negate<Predicate> not2(Predicate predicate) {
  return {predicate};
}

// Calls a function with the elements of a tuple.
template <typename Function>
class zip_function {
 public:
  zip_function(Function function) : function_(std::move(function)) {}
  template <typename Tuple>
  decltype(auto) operator()(Tuple&& tuple) const {
    return std::apply(function_, std::forward<Tuple>(tuple));
  }

 private:
  mutable Function function_;
};
template <typename Function>
zip_function<std::decay_t<Function>> make_zip_function(Function&& function) {
  return zip_function<std::decay_t<Function>>(std::forward<Function>(function));
}

namespace detail {

// An expression of placeholders.
template <typename Evaluate>
struct expression {
  Evaluate evaluate;
  template <typename... Arguments>
  constexpr auto operator()(Arguments&&... arguments) const {
    return evaluate(arguments...);
  }
};
template <typename Evaluate>
expression(Evaluate) -> expression<Evaluate>;

template <typename T>
struct is_expression : std::false_type {};
template <typename Evaluate>
struct is_expression<expression<Evaluate>> : std::true_type {};
template <typename... T>
concept some_expression = (is_expression<std::remove_cvref_t<T>>::value || ...);

template <typename T, typename... Arguments>
constexpr decltype(auto) evaluate(const T& part, Arguments&... arguments) {
  if constexpr (is_expression<T>::value) {
    return part(arguments...);
  } else {
    return (part);
  }
}

template <std::size_t Index>
struct argument {
  template <typename... Arguments>
  constexpr auto operator()(Arguments&... arguments) const {
    return std::get<Index>(std::tie(arguments...));
  }
};

#define OPSMITH_THRUST_EXPRESSION(OPERATOR)                                \
  template <typename A, typename B>                                        \
    requires some_expression<A, B>                                         \
  constexpr auto operator OPERATOR(const A& a, const B& b) {               \
    return expression{[a, b](auto&... arguments) {                         \
      return evaluate(a, arguments...) OPERATOR evaluate(b, arguments...); \
    }};                                                                    \
  }
OPSMITH_THRUST_EXPRESSION(+)
OPSMITH_THRUST_EXPRESSION(-)
OPSMITH_THRUST_EXPRESSION(*)
OPSMITH_THRUST_EXPRESSION(/)
OPSMITH_THRUST_EXPRESSION(%)
OPSMITH_THRUST_EXPRESSION(&)
OPSMITH_THRUST_EXPRESSION(|)
OPSMITH_THRUST_EXPRESSION(^)
OPSMITH_THRUST_EXPRESSION(<<)
OPSMITH_THRUST_EXPRESSION(>>)
OPSMITH_THRUST_EXPRESSION(==)
OPSMITH_THRUST_EXPRESSION(!=)
OPSMITH_THRUST_EXPRESSION(<)
OPSMITH_THRUST_EXPRESSION(>)
OPSMITH_THRUST_EXPRESSION(<=)
OPSMITH_THRUST_EXPRESSION(>=)
OPSMITH_THRUST_EXPRESSION(&&)
OPSMITH_THRUST_EXPRESSION(||)
#undef OPSMITH_THRUST_EXPRESSION

#define OPSMITH_THRUST_EXPRESSION(OPERATOR)                                          \
  template <typename A>                                                              \
    requires some_expression<A>                                                      \
  constexpr auto operator OPERATOR(const A& a) {                                     \
    return expression{[a](auto&... arguments) { return OPERATOR a(arguments...); }}; \
  }
OPSMITH_THRUST_EXPRESSION(-)
OPSMITH_THRUST_EXPRESSION(!)
OPSMITH_THRUST_EXPRESSION(~)
#undef OPSMITH_THRUST_EXPRESSION

}  // namespace detail

namespace placeholders {

inline constexpr detail::expression<detail::argument<0>> _1{};
inline constexpr detail::expression<detail::argument<1>> _2{};
inline constexpr detail::expression<detail::argument<2>> _3{};
inline constexpr detail::expression<detail::argument<3>> _4{};

}  // namespace placeholders

}  // namespace thrust
