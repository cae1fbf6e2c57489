// Barriers, latches and semaphores of libcu++: atomics, and threads that look again.
#pragma once
#include <opsmith/gpu/cuda_atomic.h>
#include <opsmith/gpu/group_copy.h>

namespace cuda {

namespace detail {

struct nothing {
  void operator()() const {}
};

}  // namespace detail

template <thread_scope Scope, typename Completion = detail::nothing>
class barrier {
 public:
  // The phase in which a thread arrived.
  class arrival_token {
   public:
    arrival_token() = default;

   private:
    explicit arrival_token(unsigned phase) : phase_(phase) {}
    unsigned phase_ = 0;
    friend class barrier;
  };

  barrier() = default;
  explicit barrier(::std::ptrdiff_t expected, Completion completion = Completion()) {
    init(expected, completion);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  static constexpr ::std::ptrdiff_t max() { return (1 << 20) - 1; }

  [[nodiscard]] arrival_token arrive(::std::ptrdiff_t count = 1) {
    const arrival_token token(phase_.load(memory_order_relaxed));
    if (pending_.fetch_sub(static_cast<unsigned>(count), memory_order_acq_rel) ==
        static_cast<unsigned>(count)) {
      completion_();
      pending_.store(expected_.load(memory_order_relaxed), memory_order_relaxed);
      phase_.store(token.phase_ + 1, memory_order_release);
    }
    return token;
  }
  void wait(arrival_token&& token) const {
    while (!try_wait(static_cast<arrival_token&&>(token)))
      opsmith::gpu::yield();
  }
  void wait(const arrival_token& token) const {
    while (phase_.load(memory_order_acquire) == token.phase_)
      opsmith::gpu::yield();
  }
  bool try_wait(arrival_token&& token) const {
    return phase_.load(memory_order_acquire) != token.phase_;
  }
  bool try_wait_parity(bool parity) const {
    return (phase_.load(memory_order_acquire) & 1) != static_cast<unsigned>(parity);
  }
  void wait_parity(bool parity) const {
    while (!try_wait_parity(parity))
      opsmith::gpu::yield();
  }
  void arrive_and_wait() { wait(arrive()); }
  void arrive_and_drop() {
    expected_.fetch_sub(1, memory_order_relaxed);
    static_cast<void>(arrive());
  }

  friend void init(barrier* barrier, ::std::ptrdiff_t expected,
                   Completion completion = Completion()) {
    barrier->init(expected, completion);
  }

 private:
  void init(::std::ptrdiff_t expected, Completion completion) {
    completion_ = completion;
    expected_.store(static_cast<unsigned>(expected), memory_order_relaxed);
    pending_.store(static_cast<unsigned>(expected), memory_order_relaxed);
    phase_.store(0, memory_order_release);
  }

  atomic<unsigned, Scope> expected_;
  atomic<unsigned, Scope> pending_;
  atomic<unsigned, Scope> phase_;
  [[no_unique_address]] Completion completion_;
};

template <thread_scope Scope>
class latch {
 public:
  explicit latch(::std::ptrdiff_t expected) : left_(expected) {}
  latch(const latch&) = delete;
  static constexpr ::std::ptrdiff_t max() { return PTRDIFF_MAX; }
  void count_down(::std::ptrdiff_t count = 1) { left_.fetch_sub(count, memory_order_release); }
  bool try_wait() const { return left_.load(memory_order_acquire) == 0; }
  void wait() const {
    while (!try_wait())
      opsmith::gpu::yield();
  }
  void arrive_and_wait(::std::ptrdiff_t count = 1) {
    count_down(count);
    wait();
  }

 private:
  atomic<::std::ptrdiff_t, Scope> left_;
};

template <thread_scope Scope, ::std::ptrdiff_t LeastMax = INT32_MAX>
class counting_semaphore {
 public:
  explicit counting_semaphore(::std::ptrdiff_t count) : count_(count) {}
  counting_semaphore(const counting_semaphore&) = delete;
  static constexpr ::std::ptrdiff_t max() { return LeastMax; }
  void release(::std::ptrdiff_t count = 1) { count_.fetch_add(count, memory_order_release); }
  bool try_acquire() {
    ::std::ptrdiff_t seen = count_.load(memory_order_relaxed);
    while (seen > 0) {
      if (count_.compare_exchange_weak(seen, seen - 1, memory_order_acquire)) return true;
    }
    return false;
  }
  void acquire() {
    while (!try_acquire())
      opsmith::gpu::yield();
  }

 private:
  atomic<::std::ptrdiff_t, Scope> count_;
};
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

// A size whose alignment is known.
template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  explicit constexpr aligned_size_t(::std::size_t size) : value(size) {}
  constexpr operator ::std::size_t() const { return value; }
};

namespace detail {

struct one_thread {
  static constexpr unsigned thread_rank() { return 0; }
  static constexpr unsigned size() { return 1; }
};

}  // namespace detail

// Copies are done when the call returns, but other threads may read them only after the barrier.
template <typename Group, typename To, typename From, typename Size, thread_scope Scope,
          typename Completion>
void memcpy_async(const Group& group, To* to, const From* from, const Size& size,
                  barrier<Scope, Completion>&) {
  opsmith::gpu::copy_bytes(group, to, from, static_cast<::std::size_t>(size));
}
template <typename To, typename From, typename Size, thread_scope Scope, typename Completion>
void memcpy_async(To* to, const From* from, const Size& size, barrier<Scope, Completion>&) {
  opsmith::gpu::copy_bytes(detail::one_thread{}, to, from, static_cast<::std::size_t>(size));
}

namespace device {

template <typename... Given>
__attribute__((unavailable(
    "cuda::device: hardware barriers (mbarrier) are not supported on the virtual GPU"))) int
barrier_native_handle(Given&&...);
template <typename... Given>
__attribute__((
    unavailable("cuda::device: transaction barriers (memcpy_async_tx) are not supported on the "
                "virtual GPU"))) int
barrier_arrive_tx(Given&&...);
template <typename... Given>
__attribute__((
    unavailable("cuda::device: transaction barriers (memcpy_async_tx) are not supported on the "
                "virtual GPU"))) int
barrier_expect_tx(Given&&...);
template <typename... Given>
__attribute__((
    unavailable("cuda::device: transaction barriers (memcpy_async_tx) are not supported on the "
                "virtual GPU"))) int
memcpy_async_tx(Given&&...);

}  // namespace device
}  // namespace cuda

namespace cuda::std {

template <typename Completion = ::cuda::detail::nothing>
using barrier = ::cuda::barrier<::cuda::thread_scope_system, Completion>;
using latch = ::cuda::latch<::cuda::thread_scope_system>;
template <::std::ptrdiff_t LeastMax = INT32_MAX>
using counting_semaphore = ::cuda::counting_semaphore<::cuda::thread_scope_system, LeastMax>;
using binary_semaphore = ::cuda::binary_semaphore<::cuda::thread_scope_system>;

}  // namespace cuda::std
