#pragma once
#include <cub/config.cuh>

#include <iterator>
#include <limits>

#include <opsmith/gpu/radix_key.h>

CUB_NAMESPACE_BEGIN

struct NullType {
  template <typename T>
  NullType& operator=(const T&) {
    return *this;
  }
  bool operator==(const NullType&) const { return true; }
  bool operator!=(const NullType&) const { return false; }
};

template <int A>
struct Int2Type {
  enum { VALUE = A };
};

template <int N, int CurrentVal = N, int Count = 0>
struct Log2 {
  enum { VALUE = Log2<N, (CurrentVal >> 1), Count + 1>::VALUE };
};
template <int N, int Count>
struct Log2<N, 0, Count> {
  enum { VALUE = (1 << (Count - 1) < N) ? Count : Count - 1 };
};

template <int N>
struct PowerOfTwo {
  enum { VALUE = ((N & (N - 1)) == 0) };
};

template <typename Key, typename Value>
struct KeyValuePair {
  using Key_ = Key;
  using Value_ = Value;

  Key key;
  Value value;

  KeyValuePair() = default;
  KeyValuePair(const Key& key, const Value& value) : key(key), value(value) {}
  bool operator==(const KeyValuePair& other) const {
    return key == other.key && value == other.value;
  }
  bool operator!=(const KeyValuePair& other) const { return !(*this == other); }
};

template <typename T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

// A value that the device knows when the algorithm runs.
template <typename T, typename Iterator = T*>
struct FutureValue {
  using value_type = T;
  using iterator_type = Iterator;
  explicit FutureValue(Iterator iterator) : iterator_(iterator) {}
  operator T() { return *iterator_; }

 private:
  Iterator iterator_;
};

// Storage without constructors: it may be in shared memory.
template <typename T>
struct Uninitialized {
  alignas(T) unsigned char bytes[sizeof(T)];
  T& Alias() { return *reinterpret_cast<T*>(bytes); }
};

// The types of half are not in std::numeric_limits. Their one tells which of the two it is.
template <typename T>
struct FpLimits {
  static T Max() { return limit(false); }
  static T Lowest() { return limit(true); }

 private:
  static T limit(bool lowest) {
    using limits = std::numeric_limits<T>;
    static_assert(limits::is_specialized || opsmith::gpu::is_float_key<T>,
                  "cub: the largest value of this type is not known");
    if constexpr (limits::is_specialized) {
      return lowest ? limits::lowest() : limits::max();
    } else {
      unsigned short bits = 0x3c00;
      T value;
      __builtin_memcpy(static_cast<void*>(&value), &bits, 2);
      bits = static_cast<float>(value) == 1.0f ? 0x7bff : 0x7f7f;
      if (lowest) bits |= 0x8000;
      __builtin_memcpy(static_cast<void*>(&value), &bits, 2);
      return value;
    }
  }
};

CUB_NAMESPACE_END
