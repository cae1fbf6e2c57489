// Least significant digit first, 4 bits a pass: counts by block, a scan of the counts, and a stable scatter whose
// ranks come from ballots. Floats are sorted through the usual flip of their bits.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace radix {

constexpr int kBits = 4;
constexpr int kDigits = 1 << kBits;
constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__device__ __forceinline__ uint32_t flip(uint32_t f) { return f ^ (static_cast<uint32_t>(-static_cast<int32_t>(f >> 31)) | 0x80000000u); }
__device__ __forceinline__ uint32_t unflip(uint32_t f) { return f ^ (((f >> 31) - 1) | 0x80000000u); }

__global__ void flipAll(uint32_t* keys, int n, bool back) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) keys[i] = back ? unflip(keys[i]) : flip(keys[i]);
}

__global__ void count(const uint32_t* keys, int* counts, int n, int shift, int blocks) {
  __shared__ int histogram[kDigits];
  if (threadIdx.x < kDigits) histogram[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) atomicAdd(&histogram[(keys[i] >> shift) & (kDigits - 1)], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * blocks + blockIdx.x] = histogram[threadIdx.x];
}

// One block: exclusive scan of all counts, digit by digit.
__global__ void scanCounts(int* counts, int total) {
  __shared__ int sums[kThreads];
  int per = (total + kThreads - 1) / kThreads;
  int from = threadIdx.x * per, to = min(from + per, total);
  int sum = 0;
  for (int i = from; i < to; ++i) sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int running = 0;
    for (int t = 0; t < kThreads; ++t) {
      int s = sums[t];
      sums[t] = running;
      running += s;
    }
  }
  __syncthreads();
  int running = sums[threadIdx.x];
  for (int i = from; i < to; ++i) {
    int c = counts[i];
    counts[i] = running;
    running += c;
  }
}

__global__ void scatter(const uint32_t* keys, const int* values, uint32_t* keysOut, int* valuesOut, const int* starts, int n,
                        int shift, int blocks) {
  __shared__ int warpCounts[kWarps][kDigits];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const bool live = i < n;
  const uint32_t key = live ? keys[i] : 0;
  const unsigned digit = live ? (key >> shift) & (kDigits - 1) : kDigits;

  unsigned same = 0;
  for (unsigned d = 0; d < kDigits; ++d) {
    unsigned votes = __ballot_sync(0xffffffffu, digit == d);
    if (lane == d) warpCounts[warp][d] = __popc(votes);
    if (digit == d) same = votes;
  }
  __syncthreads();
  if (live) {
    int rank = __popc(same & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) rank += warpCounts[w][digit];
    const int to = starts[digit * blocks + blockIdx.x] + rank;
    keysOut[to] = key;
    valuesOut[to] = values[i];
  }
}

}  // namespace radix

#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)
static void require(cudaError_t status, const char* text) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "sort_radix: %s: %s\n", text, cudaGetErrorString(status));
  std::exit(1);
}

int main() {
  using namespace radix;
  const int n = 4321, blocks = (n + kThreads - 1) / kThreads;
  std::vector<float> keys(n), got(n);
  std::vector<int> order(n), gotOrder(n);
  uint32_t state = 3;
  for (int i = 0; i < n; ++i) {
    state = state * 747796405u + 2891336453u;
    keys[i] = (static_cast<int>(state >> 16) - 32768) / 64;  // whole numbers, many of them equal
    keys[i] *= 0.5f;
    if (keys[i] == 0) keys[i] = 0.25f;  // no negative zero
    order[i] = i;
  }

  uint32_t *k[2];
  int *v[2], *counts;
  for (int b = 0; b < 2; ++b) {
    REQUIRE(cudaMalloc(&k[b], n * sizeof(uint32_t)));
    REQUIRE(cudaMalloc(&v[b], n * sizeof(int)));
  }
  REQUIRE(cudaMalloc(&counts, blocks * kDigits * sizeof(int)));
  REQUIRE(cudaMemcpy(k[0], keys.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  REQUIRE(cudaMemcpy(v[0], order.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  flipAll<<<blocks, kThreads>>>(k[0], n, false);
  REQUIRE(cudaGetLastError());
  for (int shift = 0, from = 0; shift < 32; shift += kBits, from ^= 1) {
    count<<<blocks, kThreads>>>(k[from], counts, n, shift, blocks);
    REQUIRE(cudaGetLastError());
    scanCounts<<<1, kThreads>>>(counts, blocks * kDigits);
    REQUIRE(cudaGetLastError());
    scatter<<<blocks, kThreads>>>(k[from], v[from], k[from ^ 1], v[from ^ 1], counts, n, shift, blocks);
    REQUIRE(cudaGetLastError());
  }
  flipAll<<<blocks, kThreads>>>(k[0], n, true);
  REQUIRE(cudaGetLastError());

  REQUIRE(cudaMemcpy(got.data(), k[0], n * sizeof(float), cudaMemcpyDeviceToHost));
  REQUIRE(cudaMemcpy(gotOrder.data(), v[0], n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int b = 0; b < 2; ++b) {
    REQUIRE(cudaFree(k[b]));
    REQUIRE(cudaFree(v[b]));
  }
  REQUIRE(cudaFree(counts));

  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  for (int i = 0; i < n; ++i)
    if (gotOrder[i] != order[i] || !(got[i] == keys[order[i]])) {
      std::printf("sort_radix: element %d: expected %g from %d, got %g from %d\n", i, keys[order[i]], order[i], got[i],
                  gotOrder[i]);
      return 1;
    }
  std::printf("sort_radix: ok\n");
  return 0;
}
