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

// A collective's storage is the caller's, or one that all collectives of its type share.
#define OPSMITH_CUB_BLOCK_STORAGE(CLASS, STORAGE)                                     \
  struct TempStorage : Uninitialized<STORAGE> {};                                     \
  explicit CLASS(TempStorage& storage) : storage_(storage.Alias()) {}                 \
  explicit CLASS(opsmith::gpu::Site site = opsmith::gpu::Site::here())                \
      : storage_(opsmith::gpu::shared_variable<TempStorage>(place_, site).Alias()) {} \
                                                                                      \
 private:                                                                             \
  static inline opsmith::gpu::SharedPlace place_;                                     \
                                                                                      \
 public:
