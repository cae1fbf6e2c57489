#ifdef OPSMITH_GPU_HOST_HEADERS
// Headers of the host that are precompiled together with CUDA's: they get the C library's own.
#include_next <assert.h>
#else

// The C library's assert, which in a kernel ends the launch and not the process. No include guard:
// each inclusion looks at NDEBUG anew, as the C standard says.
#undef assert

#ifdef NDEBUG
#define assert(expression) (static_cast<void>(0))
#else
#define assert(expression)             \
  ((expression) ? static_cast<void>(0) \
                : ::opsmith::gpu::fail_assert(#expression, __FILE__, __LINE__, __func__))
#endif

// glibc's function, which libtorch's CUDA_KERNEL_ASSERT calls.
#undef __assert_fail
#define __assert_fail ::opsmith::gpu::fail_assert

namespace opsmith::gpu {
[[noreturn]] void fail_assert(const char* expression, const char* file, unsigned line,
                              const char* function);
}

#endif
