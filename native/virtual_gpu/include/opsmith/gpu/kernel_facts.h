// What is known of a kernel before it runs: launch bounds and static shared memory. The rewriter
// notes them in the kernel's body, where its template arguments are known; they are kept when the
// program starts, and cost a running kernel nothing.
#pragma once

#include <cstddef>

namespace opsmith::gpu {

struct KernelFacts {
  int most_threads = 0;           // of a block, by __launch_bounds__; 0: as many as the device has
  std::size_t static_shared = 0;  // bytes of the __shared__ variables of its body
};

bool keep_bounds(const void* kernel, int most_threads);
bool keep_shared(const void* kernel, std::size_t bytes, std::size_t alignment);
/** By the address of the kernel. */
KernelFacts facts_of(const void* kernel);

/** The address of the kernel that `Find` names; null where that is a set of overloads. */
struct TakeAddress {
  template <typename... Parameters>
  const void* operator()(void (*kernel)(Parameters...)) const {
    return reinterpret_cast<const void*>(kernel);
  }
};
template <typename Find>
const void* kernel_address(Find find) {
  if constexpr (requires { find(TakeAddress{}); })
    return find(TakeAddress{});
  else
    return nullptr;
}

template <typename Find, int most_threads>
struct BoundsOfKernel {
  inline static const bool kept = keep_bounds(kernel_address(Find{}), most_threads);
};
template <typename Find, std::size_t bytes, std::size_t alignment>
struct SharedOfKernel {
  inline static const bool kept = keep_shared(kernel_address(Find{}), bytes, alignment);
};

/** Naming a static member makes it exist, and so be initialized. */
inline void must_exist(const bool&) {}

template <int most_threads, int... others, typename Find>
inline void note_bounds(Find) {
  must_exist(BoundsOfKernel<Find, most_threads>::kept);
}
template <typename T, typename Find>
inline void note_shared(Find) {
  must_exist(SharedOfKernel<Find, sizeof(T), alignof(T)>::kept);
}

}  // namespace opsmith::gpu

/** Names a kernel for a function that takes one: see `launcher` in launch.h. */
#define OPSMITH_KERNEL(...) \
  [](auto opsmith_take) -> decltype(opsmith_take(__VA_ARGS__)) { return opsmith_take(__VA_ARGS__); }
