// What a running CUDA thread sees: who it is, what it waits for, and the memory of its block.
//
// A kernel is called once for each CUDA thread. The threads of a block are fibers on one OS thread:
// a fiber leaves the core only where its thread must wait. A thread that never waits costs a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vector_types.h"

namespace opsmith::gpu {

/** A place in the user's sources. As a default argument it is the place of the call. */
struct Site {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  static constexpr Site here(const char* file = __builtin_FILE(),
                             std::uint32_t line = __builtin_LINE(),
                             std::uint32_t column = __builtin_COLUMN()) {
    return {file, line, column};
  }
};

constexpr std::uint32_t lanes_of_warp = 32;
constexpr std::uint32_t all_lanes = 0xffffffffU;
/** Of a block: dynamic shared memory, and all __shared__ variables of the program. */
constexpr std::size_t shared_bytes = 4 * 1024 * 1024;

struct Block;
struct Fiber;

/** One warp of a block that is running. Lanes start in order. */
struct Warp {
  std::uint32_t exists;  // lanes that the block has
  std::uint32_t exited;  // lanes that have returned, as far as they are counted
};

/** What the running thread is. It belongs to a fiber, and changes when the fiber takes the next
 * thread. */
struct ThreadContext {
  uint3 thread;
  uint3 block_index;
  dim3 block_dim;
  dim3 grid_dim;
  std::byte* shared;     // the block's shared memory; dynamic shared memory begins here
  std::uint32_t lane;    // within the warp
  std::uint32_t linear;  // within the block
  Warp* warp;
  Block* block;
  const bool* others;  // true: other threads of the block wait, and an exit may set them free
  bool advancing;      // between two threads: it must not be preempted
};

/** The running thread; null in host code. Initial-exec: read with one instruction. */
extern __attribute__((tls_model("initial-exec"))) constinit thread_local ThreadContext* current;

/** True within a kernel. */
inline bool in_kernel() {
  return current != nullptr;
}

/** Ends the thread and begins the next one of the block on the same fiber; false if there is none.
 */
bool finish_thread();

inline bool next_thread() {
  ThreadContext& thread = *current;
  thread.advancing = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const Warp& warp = *thread.warp;
  const std::uint32_t next = thread.lane + 1;
  // The common case: nobody waits, and the warp has another lane in the same row of threads.
  if (*thread.others || next >= lanes_of_warp || (warp.exists >> next & 1U) == 0 ||
      thread.thread.x + 1 >= thread.block_dim.x)
    return finish_thread();
  thread.lane = next;
  ++thread.linear;
  ++thread.thread.x;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.advancing = false;
  return true;
}

/** The kernel of a launch, without its type. */
struct Kernel {
  const char* name;
  Site site;                         // of the launch
  void (*run_threads)(const void*);  // calls the kernel for one thread after the other
  const void* closure;               // what run_threads takes
  std::size_t closure_bytes;
  const void* entry;  // the function's address; null if it is not known
};

struct LaunchSize {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;  // bytes
  void* stream = nullptr;
  bool cooperative = false;
};

/** Runs all threads of a launch. It returns when they have ended; an error is kept for
 * cudaGetLastError. */
void run_launch(const LaunchSize& size, const Kernel& kernel);

// What a thread waits for. Each is out of line: no code of the user's is preempted within it.

/** __syncthreads: waits for all threads of the block that have not returned. */
void barrier(Site site);
enum class Vote { count, all, any };
/** __syncthreads_count, _and, _or. */
int barrier_vote(Vote vote, bool predicate, Site site);
/** bar.sync: waits until `threads` threads have come to the named barrier. 0: all threads. */
void named_barrier(std::uint32_t barrier, std::uint32_t threads, bool wait, Site site);
/** Waits for all threads of a cooperative launch. */
void grid_barrier(Site site = Site::here());
/** True in a cooperative launch: all its blocks run at once. */
bool grid_can_wait();

/** Waits for the lanes of `mask`, and gives what `source` brought; `value` itself if that lane is
 * absent. */
std::uint64_t exchange(std::uint32_t mask, std::uint64_t value, std::uint32_t source, Site site);
/** Waits for the lanes of `mask`, and gives the lanes whose predicate holds. */
std::uint32_t ballot(std::uint32_t mask, bool predicate, Site site);
/** Waits for the lanes of `mask`, copies what each brought, and gives the lanes that came. */
std::uint32_t exchange_all(std::uint32_t mask, std::uint64_t value, std::uint64_t* values,
                           Site site);
/** The lanes of the warp that come to this place; waits until no other lane of it can. */
std::uint32_t converged_lanes(Site site);

/** Lets other threads go on. */
void yield();
/** What a thread that waits in a loop calls each time that it looks: other threads go on now and
 * then. */
void polled();
/** A fence orders this thread's accesses: what the checks need to know of it. */
void fence(int scope);

/** Ends the launch with an error: a failed assert, a trap, what is not supported. */
[[noreturn]] void fail_assert(const char* expression, const char* file, unsigned line,
                              const char* function);
[[noreturn]] void trap(Site site);
[[noreturn]] void refuse(const char* what, Site site);

/** printf of the device: it gives the number of arguments. */
template <typename... Given>
inline int device_printf(const char* format, Given... given) {
  __builtin_printf(format, given...);
  return static_cast<int>(sizeof...(given));
}

std::uint64_t global_nanoseconds();

/** Cycles of the virtual GPU: nanoseconds, so that a difference is not zero. */
inline long long clock_cycles() {
  return static_cast<long long>(global_nanoseconds());
}

// Shared memory.

/** The place of one __shared__ declaration in the memory of each block. Zero: not placed yet. */
struct SharedPlace {
  std::uint32_t offset = 0;
};
void place_shared(SharedPlace& place, std::size_t bytes, std::size_t alignment, Site site);
/** True in a kernel, for an address in the shared memory of the running block. */
inline bool is_shared(const volatile void* address) {
  if (current == nullptr) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(current->shared);
  return reinterpret_cast<std::uintptr_t>(address) - begin < shared_bytes;
}

template <typename T>
inline T& shared_variable(SharedPlace& place, Site site = Site::here()) {
  // Atomic: the first thread that comes here places it, and the checks do not take it for a
  // variable of the program.
  if (__builtin_expect(__atomic_load_n(&place.offset, __ATOMIC_ACQUIRE) == 0, 0))
    place_shared(place, sizeof(T), alignof(T), site);
  return *reinterpret_cast<T*>(current->shared + __atomic_load_n(&place.offset, __ATOMIC_RELAXED));
}

/** A declaration in a macro: each use of the macro has another type `Use`. */
template <typename T, typename Use>
inline T& shared_of_macro(Site site = Site::here()) {
  static SharedPlace place;
  return shared_variable<T>(place, site);
}

inline void* dynamic_shared() {
  return current->shared;
}

/** `extern __shared__ T name[]` at namespace scope. */
template <typename T>
struct DynamicShared {
  operator T*() const { return static_cast<T*>(dynamic_shared()); }
  T* operator&() const { return static_cast<T*>(dynamic_shared()); }
  template <typename U>
  explicit operator U*() const {
    return static_cast<U*>(dynamic_shared());
  }
};

/** What the rewriter writes where a function uses a variable of the file: steps show it. */
#ifdef OPSMITH_GPU_STEPPED
#define OPSMITH_SHOW_SHARED(...) __VA_ARGS__
#else
#define OPSMITH_SHOW_SHARED(...)
#endif

/** A `__shared__` variable at namespace scope: it is found where it is used. */
template <typename Owner, typename T, T Owner::* member, SharedPlace& place>
struct SharedMember {
  T& get() const { return shared_variable<Owner>(place).*member; }
  operator T&() const { return get(); }
  T* operator&() const { return &get(); }
  template <typename Value>
  T& operator=(const Value& value) const {
    return get() = value;
  }
};
template <typename Owner, typename T, std::size_t size, T (Owner::*member)[size],
          SharedPlace& place>
struct SharedMember<Owner, T[size], member, place> {
  operator T*() const { return shared_variable<Owner>(place).*member; }
};

/** A __device__, __constant__ or __managed__ variable: where it lies, for the checks. */
class DeviceVariable {
 public:
  DeviceVariable(const volatile void* address, std::size_t bytes, const char* name,
                 const char* kind);
};

/** For static_assert in code that must not be compiled. */
inline constexpr bool never = false;

/** Host code may touch device memory while one of these lives: what libraries such as Thrust run
 * there. */
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

/** How the checks are told of an atomic access; it does nothing in an unchecked build. */
enum class AtomicKind { load, store, update };
#ifdef OPSMITH_GPU_CHECKED
void checked_atomic(const volatile void* address, std::size_t bytes, AtomicKind kind);
#else
inline void checked_atomic(const volatile void*, std::size_t, AtomicKind) {}
#endif

template <typename T>
inline std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a value in a warp operation can have at most 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
inline T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace opsmith::gpu

// threadIdx and its kin. Properties: each reads the running thread, and `threadIdx.x` is an
// unsigned.
namespace opsmith::gpu {

/** A member of the running thread's context, as CUDA shows it. */
template <auto member>
struct ThreadValue {
  unsigned get_x() const { return (current->*member).x; }
  unsigned get_y() const { return (current->*member).y; }
  unsigned get_z() const { return (current->*member).z; }
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  operator uint3() const { return current->*member; }
  operator dim3() const { return current->*member; }
};

}  // namespace opsmith::gpu

inline constexpr opsmith::gpu::ThreadValue<&opsmith::gpu::ThreadContext::thread> threadIdx{};
inline constexpr opsmith::gpu::ThreadValue<&opsmith::gpu::ThreadContext::block_index> blockIdx{};
inline constexpr opsmith::gpu::ThreadValue<&opsmith::gpu::ThreadContext::block_dim> blockDim{};
inline constexpr opsmith::gpu::ThreadValue<&opsmith::gpu::ThreadContext::grid_dim> gridDim{};
inline constexpr int warpSize = 32;
