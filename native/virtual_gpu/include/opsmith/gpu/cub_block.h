// What CUB's block collectives share.
#pragma once
#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>

CUB_NAMESPACE_BEGIN

namespace detail {

template <int X, int Y, int Z>
struct block_shape {
  static constexpr int threads = X * Y * Z;
  static constexpr int warps = (threads + 31) / 32;
  static int rank() { return RowMajorTid(X, Y, Z); }
};

}  // namespace detail

CUB_NAMESPACE_END

// A collective's storage is in shared memory and the caller's. CUB also has collectives with
// storage of their own.
#define OPSMITH_CUB_BLOCK_STORAGE(CLASS, STORAGE)                                       \
  struct TempStorage : Uninitialized<STORAGE> {};                                       \
  explicit CLASS(TempStorage& storage) : storage_(storage.Alias()) {}                   \
  __attribute__((unavailable("cub: " #CLASS " without a __shared__ TempStorage is not " \
                             "supported on the virtual GPU")))                          \
  CLASS();
