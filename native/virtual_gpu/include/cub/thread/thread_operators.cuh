#pragma once
#include <cub/util_type.cuh>

#include <utility>

CUB_NAMESPACE_BEGIN

struct Equality {
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};
struct Inequality {
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return a != b;
  }
};
template <typename Operator>
struct InequalityWrapper {
  Operator op;
  explicit InequalityWrapper(Operator op) : op(op) {}
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) {
    return !op(a, b);
  }
};
struct Sum {
  template <typename A, typename B>
  auto operator()(A&& a, B&& b) const -> std::decay_t<decltype(a + b)> {
    return a + b;
  }
};
struct Difference {
  template <typename A, typename B>
  auto operator()(A&& a, B&& b) const -> std::decay_t<decltype(a - b)> {
    return a - b;
  }
};
struct Division {
  template <typename A, typename B>
  auto operator()(A&& a, B&& b) const -> std::decay_t<decltype(a / b)> {
    return a / b;
  }
};
struct Max {
  template <typename A, typename B>
  std::common_type_t<A, B> operator()(A&& a, B&& b) const {
    if (a < b) return b;
    return a;
  }
};
struct Min {
  template <typename A, typename B>
  std::common_type_t<A, B> operator()(A&& a, B&& b) const {
    if (b < a) return b;
    return a;
  }
};
// Of equal values the one with the lower key.
struct ArgMax {
  template <typename Key, typename Value>
  KeyValuePair<Key, Value> operator()(const KeyValuePair<Key, Value>& a,
                                      const KeyValuePair<Key, Value>& b) const {
    if (b.value > a.value || (a.value == b.value && b.key < a.key)) return b;
    return a;
  }
};
struct ArgMin {
  template <typename Key, typename Value>
  KeyValuePair<Key, Value> operator()(const KeyValuePair<Key, Value>& a,
                                      const KeyValuePair<Key, Value>& b) const {
    if (b.value < a.value || (a.value == b.value && b.key < a.key)) return b;
    return a;
  }
};
template <typename B>
struct CastOp {
  template <typename A>
  B operator()(A&& a) const {
    return static_cast<B>(a);
  }
};
template <typename Operator>
struct SwizzleScanOp {
  Operator op;
  explicit SwizzleScanOp(Operator op) : op(op) {}
  template <typename T>
  T operator()(const T& a, const T& b) {
    T c(b), d(a);
    return op(c, d);
  }
};
// Pairs of a segment's flag (as a count) and a value.
template <typename Operator>
struct ReduceBySegmentOp {
  Operator op;
  ReduceBySegmentOp() = default;
  explicit ReduceBySegmentOp(Operator op) : op(op) {}
  template <typename Pair>
  Pair operator()(const Pair& a, const Pair& b) {
    Pair result;
    result.key = a.key + b.key;
    result.value = b.key ? b.value : op(a.value, b.value);
    return result;
  }
};
template <typename Operator>
struct ReduceByKeyOp {
  Operator op;
  ReduceByKeyOp() = default;
  explicit ReduceByKeyOp(Operator op) : op(op) {}
  template <typename Pair>
  Pair operator()(const Pair& a, const Pair& b) {
    Pair result = b;
    if (a.key == b.key) result.value = op(a.value, b.value);
    return result;
  }
};

CUB_NAMESPACE_END
