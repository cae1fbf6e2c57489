// CUDA's words for where code runs and where data lies. The rewriter has already replaced the ones
// that matter (__shared__, __device__, __constant__ and __managed__ on variables, __global__ on
// kernels that are launched) before the compiler sees the text: what is left means nothing to
// clang.
#pragma once

#ifdef __CUDA__
// clangd reads the user's text itself, in clang's CUDA mode.
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#else
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)

// What the rewriter could not see: a word of the program's own that means __shared__. As a plain
// variable it would be one of each thread.
#define __shared__                                                             \
  __attribute__((                                                              \
      unavailable("a __shared__ variable that is declared through a macro is " \
                  "not supported on the virtual GPU")))
#endif

#ifdef OPSMITH_GPU_STEPPED
// A function of its own, with a frame and variables that can be shown.
#define __forceinline__ __inline__
#else
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif

// libstdc++ writes __attribute__((__noinline__)), CUDA programs write a bare __noinline__. Only
// nothing is correct in both places, and that a function may be inlined changes no result.
#define __noinline__

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
