// Launchers of the kernels in plain.cu. They name neither CUDA's types nor libtorch's: nvcc
// compiles the one, the C++ compiler the other. Each answers nullptr, or why it was not launched.
#pragma once

#include <cstdint>

/// What a cudaStream_t points to.
struct CUstream_st;

namespace opsmith_gpu_check {

/// Where a kernel is launched.
enum class place : int64_t {
  current,           // on the stream that libtorch works on
  legacy_default,    // on CUDA's default stream, whatever is current
  own_blocking,      // on a stream of its own, which the default stream waits for
  own_nonblocking,   // on one that nothing waits for
  current_and_waits  // on the current one, and the host waits for it
};

const char* launch_add_one(const float* from, float* to, int64_t count, CUstream_st* stream);
/// Copies after `nanoseconds` by the device's own clock.
const char* launch_spin(const float* from, float* to, int64_t count, int64_t nanoseconds,
                        place where, CUstream_st* current);
/// Reads all of `from` so many times, past the caches of the multiprocessors; `blocks` sums in
/// `to`.
const char* launch_read(const float* from, int64_t count, int64_t times, float* to, int64_t blocks,
                        CUstream_st* stream);
/// Each ends the use of this device's context, but the last, which never ends.
const char* launch_store_outside(float* to, CUstream_st* stream);
const char* launch_assertion(const float* from, CUstream_st* stream);
const char* launch_endless(float* to, CUstream_st* stream);

}  // namespace opsmith_gpu_check
