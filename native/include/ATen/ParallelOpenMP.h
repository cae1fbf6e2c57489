#pragma once

// libtorch's own header starts its threads with `#pragma omp parallel`, which a clang without
// -fopenmp leaves out: at::parallel_for is then silently serial. With -fopenmp clang brings its
// own runtime (libomp) beside the libgomp in libtorch: two pools of threads that fight for the
// cores. So this header makes the call that g++ -fopenmp emits, to the libgomp that libtorch has
// already loaded. A compiler that understands the pragma gets libtorch's header.
#if defined(_OPENMP) || !defined(__clang__)
#include_next <ATen/ParallelOpenMP.h>
#else

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

#define INTRA_OP_PARALLEL

// Weak, so that no library need be named at link time: the loader finds them among what
// libtorch_cpu itself depends on, under whatever file name its wheel gave libgomp. With a libtorch
// built without OpenMP they stay null and the loop runs on one thread.
extern "C" {
__attribute__((weak)) void GOMP_parallel(void (*body)(void*), void* data, unsigned num_threads,
                                         unsigned flags);
__attribute__((weak)) int omp_get_num_threads(void);
__attribute__((weak)) int omp_get_thread_num(void);
}

namespace at::internal {

template <typename F>
struct parallel_region {
  const int64_t begin;
  const int64_t end;
  const int64_t grain_size;
  const F& f;
  std::atomic_flag has_failed = ATOMIC_FLAG_INIT;
  std::exception_ptr failure = nullptr;

  /// Runs once on each thread of the team. No exception may leave it: libgomp is C.
  static void run(void* data) {
    auto& region = *static_cast<parallel_region*>(data);
    const int64_t range = region.end - region.begin;
    int64_t num_threads = omp_get_num_threads();
    if (region.grain_size > 0) {
      num_threads = std::min(num_threads, divup(range, region.grain_size));
    }
    const int64_t thread = omp_get_thread_num();
    const int64_t chunk = divup(range, num_threads);
    const int64_t chunk_begin = region.begin + thread * chunk;
    if (chunk_begin >= region.end) return;
    try {
      ThreadIdGuard guard(static_cast<int>(thread));
      region.f(chunk_begin, std::min(region.end, chunk_begin + chunk));
    } catch (...) {
      if (!region.has_failed.test_and_set()) region.failure = std::current_exception();
    }
  }
};

template <typename F>
inline void invoke_parallel(int64_t begin, int64_t end, int64_t grain_size, const F& f) {
  if (GOMP_parallel == nullptr || omp_get_num_threads == nullptr || omp_get_thread_num == nullptr) {
    ThreadIdGuard guard(0);
    f(begin, end);
    return;
  }
  parallel_region<F> region{begin, end, grain_size, f};
  // Zero threads asked for: as many as at::set_num_threads said, as the pragma does.
  GOMP_parallel(&parallel_region<F>::run, &region, 0, 0);
  if (region.failure) std::rethrow_exception(region.failure);
}

}  // namespace at::internal

#endif
