// Kernels without libtorch's headers.
#undef NDEBUG
#include <cassert>

#include "kernels.h"

namespace opsmith_gpu_check {
namespace {

constexpr int threads = 256;

const char* launched() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

unsigned blocks_for(int64_t count) {
  constexpr int64_t most = 1 << 16;
  const int64_t needed = (count + threads - 1) / threads;
  return static_cast<unsigned>(needed < most ? (needed > 0 ? needed : 1) : most);
}

__global__ void add_one(const float* from, float* to, int64_t count) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = from[i] + 1;
}

__device__ unsigned long long device_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// One block: it is there at once, and its time is no other block's.
__global__ void spin(const float* from, float* to, int64_t count, int64_t nanoseconds) {
  const unsigned long long start = device_nanoseconds();
  while (device_nanoseconds() - start < static_cast<unsigned long long>(nanoseconds)) {
  }
  for (int64_t i = threadIdx.x; i < count; i += blockDim.x)
    to[i] = from[i];
}

__global__ void read(const float4* from, int64_t count, int64_t times, float* to) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  float sum = 0;
  for (int64_t round = 0; round < times; ++round) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
      // By the L2 cache alone: an L1 would serve what one multiprocessor reads again.
      const float4 four = __ldcg(from + i);
      sum += four.x + four.y + four.z + four.w;
    }
    // A compiler that could tell the rounds to be alike would read once.
    asm volatile("" ::: "memory");
  }
  if (threadIdx.x == 0) to[blockIdx.x] = sum;
}

__global__ void store_outside(float* to) {
  // Farther than any allocation reaches.
  to[int64_t(1) << 45] = 1;
}

__global__ void fails(const float* from) {
  assert(from == nullptr && "opsmith doctor --gpu expects this failure");
}

__global__ void endless(volatile float* to) {
  while (to[0] == to[0])
    to[1] = to[0];
}

/// A stream of this process, made once for each kind: they cost a millisecond.
cudaStream_t own_stream(unsigned flags) {
  static cudaStream_t streams[2] = {};
  cudaStream_t& stream = streams[flags == cudaStreamNonBlocking ? 1 : 0];
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, flags);
  return stream;
}

}  // namespace

const char* launch_add_one(const float* from, float* to, int64_t count, CUstream_st* stream) {
  add_one<<<blocks_for(count), threads, 0, stream>>>(from, to, count);
  return launched();
}

const char* launch_spin(const float* from, float* to, int64_t count, int64_t nanoseconds,
                        place where, CUstream_st* current) {
  cudaStream_t stream = current;
  if (where == place::legacy_default) stream = cudaStreamLegacy;
  if (where == place::own_blocking) stream = own_stream(cudaStreamDefault);
  if (where == place::own_nonblocking) stream = own_stream(cudaStreamNonBlocking);
  spin<<<1, threads, 0, stream>>>(from, to, count, nanoseconds);
  const char* error = launched();
  if (error == nullptr && where == place::current_and_waits) cudaStreamSynchronize(current);
  return error;
}

const char* launch_read(const float* from, int64_t count, int64_t times, float* to, int64_t blocks,
                        CUstream_st* stream) {
  read<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(reinterpret_cast<const float4*>(from),
                                                              count / 4, times, to);
  return launched();
}

const char* launch_store_outside(float* to, CUstream_st* stream) {
  store_outside<<<1, 1, 0, stream>>>(to);
  return launched();
}

const char* launch_assertion(const float* from, CUstream_st* stream) {
  fails<<<1, 1, 0, stream>>>(from);
  return launched();
}

const char* launch_endless(float* to, CUstream_st* stream) {
  endless<<<1, 1, 0, stream>>>(to);
  return launched();
}

}  // namespace opsmith_gpu_check
