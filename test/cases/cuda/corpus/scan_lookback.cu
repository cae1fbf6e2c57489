// Single-pass scan with decoupled look-back. Blocks draw their tile by a ticket, so that those before them have
// begun. Value and state of a tile are one 64-bit word, which is written and read as a whole.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_TRY(expression)                                                                       \
  if (cudaError_t error = (expression); error != cudaSuccess) {                                    \
    std::fprintf(stderr, "%s\n  in %s, line %d\n", cudaGetErrorString(error), __FILE__, __LINE__); \
    std::exit(1);                                                                                  \
  }

namespace lookback {

enum State : uint32_t { kInvalid = 0, kAggregate = 1, kPrefix = 2 };

__device__ inline unsigned long long pack(State state, uint32_t value) {
  return (static_cast<unsigned long long>(state) << 32) | value;
}

constexpr int kThreads = 64;
constexpr int kItems = 3;
constexpr int kTile = kThreads * kItems;

__global__ void __launch_bounds__(kThreads)
scan(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, unsigned long long* states, unsigned* ticket, int n) {
  __shared__ unsigned tile;
  __shared__ uint32_t sums[kThreads];
  __shared__ uint32_t before;

  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();

  const int first = tile * kTile + threadIdx.x * kItems;
  uint32_t mine[kItems];
  uint32_t sum = 0;
  for (int k = 0; k < kItems; ++k) {
    mine[k] = first + k < n ? in[first + k] : 0;
    sum += mine[k];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 1; d < kThreads; d *= 2) {
    const uint32_t left = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += left;
    __syncthreads();
  }

  if (threadIdx.x == 0) {
    const uint32_t aggregate = sums[kThreads - 1];
    uint32_t prefix = 0;
    if (tile > 0) {
      atomicExch(&states[tile], pack(kAggregate, aggregate));
      for (int t = static_cast<int>(tile) - 1; t >= 0;) {
        const unsigned long long seen = atomicAdd(&states[t], 0ull);
        const uint32_t state = static_cast<uint32_t>(seen >> 32);
        if (state == kInvalid) continue;  // not there yet
        prefix += static_cast<uint32_t>(seen);
        if (state == kPrefix) break;
        --t;
      }
    }
    atomicExch(&states[tile], pack(kPrefix, prefix + aggregate));
    before = prefix;
  }
  __syncthreads();

  uint32_t running = before + (threadIdx.x > 0 ? sums[threadIdx.x - 1] : 0);
  for (int k = 0; k < kItems; ++k) {
    running += mine[k];
    if (first + k < n) out[first + k] = running;
  }
}

}  // namespace lookback

int main() {
  for (int n : {1, 191, 192, 193, 20000}) {
    const int tiles = (n + lookback::kTile - 1) / lookback::kTile;
    std::vector<uint32_t> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = (static_cast<uint32_t>(i) * 2654435761u) >> 9;

    uint32_t *deviceIn, *deviceOut;
    unsigned long long* states;
    unsigned* ticket;
    CUDA_TRY(cudaMalloc(&deviceIn, n * sizeof(uint32_t)));
    CUDA_TRY(cudaMalloc(&deviceOut, n * sizeof(uint32_t)));
    CUDA_TRY(cudaMalloc(&states, tiles * sizeof(unsigned long long)));
    CUDA_TRY(cudaMalloc(&ticket, sizeof(unsigned)));
    CUDA_TRY(cudaMemcpy(deviceIn, in.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(states, 0, tiles * sizeof(unsigned long long)));
    CUDA_TRY(cudaMemset(ticket, 0, sizeof(unsigned)));
    lookback::scan<<<tiles, lookback::kThreads>>>(deviceIn, deviceOut, states, ticket, n);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaMemcpy(out.data(), deviceOut, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(deviceIn));
    CUDA_TRY(cudaFree(deviceOut));
    CUDA_TRY(cudaFree(states));
    CUDA_TRY(cudaFree(ticket));

    uint32_t want = 0;
    for (int i = 0; i < n; ++i) {
      want += in[i];
      if (out[i] != want) {
        std::printf("scan_lookback: element %d of %d: expected %u, got %u\n", i, n, want, out[i]);
        return 1;
      }
    }
  }
  std::printf("scan_lookback: ok\n");
  return 0;
}
