// cuda::atomic and cuda::atomic_ref. All scopes are one: they are atomics of the whole system.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

#include <opsmith/gpu/atomics.h>
#include <opsmith/gpu/cuda_std.h>

namespace cuda::std {

// Not those of <atomic>, which is slow to compile.
enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};

}  // namespace cuda::std

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10
};

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed) return;
  if (scope == thread_scope_block) {
    __threadfence_block();
  } else if (scope == thread_scope_device) {
    __threadfence();
  } else if (scope == thread_scope_system) {
    __threadfence_system();
  }
}
inline void atomic_signal_fence(memory_order) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

namespace detail {

inline bool releases(memory_order order) {
  return order == memory_order_release || order == memory_order_acq_rel ||
         order == memory_order_seq_cst;
}
inline bool acquires(memory_order order) {
  return order != memory_order_relaxed && order != memory_order_release;
}

// The operations on a place in memory. Fences say to the checks what an order means.
template <typename T, thread_scope Scope>
class atomic_place {
  static_assert(::std::is_trivially_copyable_v<T>, "cuda::atomic needs a trivially copyable type");
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "cuda::atomic: the virtual GPU supports only types of 1, 2, 4 or 8 bytes");
  using bits = opsmith::gpu::BitsOf<T>;

 public:
  explicit atomic_place(T* place) : place_(place) {}

  // A load may be one of many in a loop that waits for another thread.
  __attribute__((no_sanitize("thread"))) T load(memory_order order) const {
    opsmith::gpu::checked_atomic(place_, sizeof(T), opsmith::gpu::AtomicKind::load);
    opsmith::gpu::polled();
    const bits found = __atomic_load_n(reinterpret_cast<const bits*>(place_), __ATOMIC_SEQ_CST);
    after(order);
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &found, sizeof(T));
    return value;
  }
  __attribute__((no_sanitize("thread"))) void store(T value, memory_order order) const {
    before(order);
    bits wanted;
    __builtin_memcpy(&wanted, &value, sizeof(T));
    opsmith::gpu::checked_atomic(place_, sizeof(T), opsmith::gpu::AtomicKind::store);
    __atomic_store_n(reinterpret_cast<bits*>(place_), wanted, __ATOMIC_SEQ_CST);
  }
  T exchange(T value, memory_order order) const {
    before(order);
    const T old = opsmith::gpu::exchange_atomically(place_, value);
    after(order);
    return old;
  }
  bool compare_exchange(T& expected, T value, memory_order order) const {
    before(order);
    const T seen = opsmith::gpu::compare_and_swap(place_, expected, value);
    after(order);
    const bool same = __builtin_memcmp(static_cast<const void*>(&seen),
                                       static_cast<const void*>(&expected), sizeof(T)) == 0;
    expected = seen;
    return same;
  }
  template <typename Change>
  T update(Change change, memory_order order) const {
    before(order);
    const T old = opsmith::gpu::update_atomically(place_, change);
    after(order);
    return old;
  }
  // Waits until another value is there.
  void wait(T old, memory_order order) const {
    while (true) {
      const T now = load(order);
      if (__builtin_memcmp(static_cast<const void*>(&now), static_cast<const void*>(&old),
                           sizeof(T)) != 0) {
        return;
      }
    }
  }

 private:
  static void before(memory_order order) {
    if (releases(order)) atomic_thread_fence(order, Scope);
  }
  static void after(memory_order order) {
    if (acquires(order)) atomic_thread_fence(order, Scope);
  }

  T* place_;
};

// The members that atomic and atomic_ref have in common. Derived gives place().
template <typename Derived, typename T>
class atomic_calls {
 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;
  bool is_lock_free() const { return true; }

  T load(memory_order order = memory_order_seq_cst) const { return self().place().load(order); }
  operator T() const { return load(); }
  void store(T value, memory_order order = memory_order_seq_cst) const {
    self().place().store(value, order);
  }
  T exchange(T value, memory_order order = memory_order_seq_cst) const {
    return self().place().exchange(value, order);
  }
  bool compare_exchange_strong(T& expected, T value,
                               memory_order order = memory_order_seq_cst) const {
    return self().place().compare_exchange(expected, value, order);
  }
  bool compare_exchange_strong(T& expected, T value, memory_order success,
                               memory_order failure) const {
    static_cast<void>(failure);
    return self().place().compare_exchange(expected, value, success);
  }
  bool compare_exchange_weak(T& expected, T value,
                             memory_order order = memory_order_seq_cst) const {
    return self().place().compare_exchange(expected, value, order);
  }
  bool compare_exchange_weak(T& expected, T value, memory_order success,
                             memory_order failure) const {
    static_cast<void>(failure);
    return self().place().compare_exchange(expected, value, success);
  }
  void wait(T old, memory_order order = memory_order_seq_cst) const {
    self().place().wait(old, order);
  }
  // Those that wait look for themselves.
  void notify_one() const {}
  void notify_all() const {}

#define OPSMITH_CUDA_FETCH(NAME, RESULT)                                                      \
  template <typename Operand>                                                                 \
  T NAME(Operand operand, memory_order order = memory_order_seq_cst) const {                  \
    return self().place().update([operand](T old) { return static_cast<T>(RESULT); }, order); \
  }
  OPSMITH_CUDA_FETCH(fetch_add, old + operand)
  OPSMITH_CUDA_FETCH(fetch_sub, old - operand)
  OPSMITH_CUDA_FETCH(fetch_and, old& operand)
  OPSMITH_CUDA_FETCH(fetch_or, old | operand)
  OPSMITH_CUDA_FETCH(fetch_xor, old ^ operand)
  OPSMITH_CUDA_FETCH(fetch_max, old < static_cast<T>(operand) ? static_cast<T>(operand) : old)
  OPSMITH_CUDA_FETCH(fetch_min, static_cast<T>(operand) < old ? static_cast<T>(operand) : old)
#undef OPSMITH_CUDA_FETCH

  T operator=(T value) const {
    store(value);
    return value;
  }
  template <typename Operand>
  T operator+=(Operand operand) const {
    return static_cast<T>(fetch_add(operand) + operand);
  }
  template <typename Operand>
  T operator-=(Operand operand) const {
    return static_cast<T>(fetch_sub(operand) - operand);
  }
  T operator&=(T operand) const { return static_cast<T>(fetch_and(operand) & operand); }
  T operator|=(T operand) const { return static_cast<T>(fetch_or(operand) | operand); }
  T operator^=(T operand) const { return static_cast<T>(fetch_xor(operand) ^ operand); }
  T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  T operator--() const { return static_cast<T>(fetch_sub(1) - 1); }
  T operator++(int) const { return fetch_add(1); }
  T operator--(int) const { return fetch_sub(1); }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace detail

template <typename T, thread_scope Scope = thread_scope_system>
class atomic : public detail::atomic_calls<atomic<T, Scope>, T> {
 public:
  // Memory of kernels is often not constructed: it has to be initialised by a store then.
  constexpr atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  using detail::atomic_calls<atomic<T, Scope>, T>::operator=;

  detail::atomic_place<T, Scope> place() const {
    return detail::atomic_place<T, Scope>(const_cast<T*>(&value_));
  }

 private:
  alignas(sizeof(T)) T value_{};
};

template <typename T, thread_scope Scope = thread_scope_system>
class atomic_ref : public detail::atomic_calls<atomic_ref<T, Scope>, T> {
 public:
  static constexpr ::std::size_t required_alignment = sizeof(T);
  explicit atomic_ref(T& value) : value_(&value) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  using detail::atomic_calls<atomic_ref<T, Scope>, T>::operator=;

  detail::atomic_place<T, Scope> place() const { return detail::atomic_place<T, Scope>(value_); }

 private:
  T* value_;
};

template <thread_scope Scope = thread_scope_system>
class atomic_flag {
 public:
  constexpr atomic_flag() = default;
  atomic_flag(const atomic_flag&) = delete;
  bool test_and_set(memory_order order = memory_order_seq_cst) {
    return flag_.exchange(1, order) != 0;
  }
  bool test(memory_order order = memory_order_seq_cst) const { return flag_.load(order) != 0; }
  void clear(memory_order order = memory_order_seq_cst) { flag_.store(0, order); }
  void wait(bool old, memory_order order = memory_order_seq_cst) const { flag_.wait(old, order); }
  void notify_one() {}
  void notify_all() {}

 private:
  atomic<int, Scope> flag_{0};
};

}  // namespace cuda

namespace cuda::std {

template <typename T>
using atomic = ::cuda::atomic<T, ::cuda::thread_scope_system>;
template <typename T>
using atomic_ref = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
using atomic_flag = ::cuda::atomic_flag<::cuda::thread_scope_system>;
inline void atomic_thread_fence(memory_order order) {
  ::cuda::atomic_thread_fence(order);
}

}  // namespace cuda::std
