// The first warp of a block loads the next tile while the other warps compute with the one before: a producer and
// its consumers over two buffers, with one barrier a round.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;

#define CE(x) do { if (auto r_ = (x); r_ != cudaSuccess) { std::printf("%s (line %d)\n", cudaGetErrorString(r_), __LINE__); std::exit(1); } } while (0)

constexpr int kTile = 96;      // elements of a tile
constexpr int kConsumers = 96; // threads that compute

// Each consumer sums polynomials of the elements at its place of each tile.
__global__ void pipeline(const int* in, long long* out, int n) {
  __shared__ int buffer[2][kTile];
  cg::thread_block block = cg::this_thread_block();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int per = (n + gridDim.x - 1) / gridDim.x;
  const int from = blockIdx.x * per, to = min(from + per, n);
  const int tiles = to > from ? (to - from + kTile - 1) / kTile : 0;

  long long sum = 0;
  for (int round = 0; round <= tiles; ++round) {
    if (warp == 0) {
      if (round < tiles)
        for (int i = lane; i < kTile; i += 32) {
          const int at = from + round * kTile + i;
          buffer[round & 1][i] = at < to ? in[at] : 0;
        }
    } else if (round > 0) {
      const long long v = buffer[(round - 1) & 1][threadIdx.x - 32];
      sum += v * v * v - 2 * v;
    }
    block.sync();
  }
  if (warp > 0) out[blockIdx.x * kConsumers + threadIdx.x - 32] = sum;
}

int main() {
  const int n = 5003, blocks = 4;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 131) % 401 - 200;
  int* dIn;
  long long* dOut;
  CE(cudaMalloc(&dIn, n * sizeof(int)));
  CE(cudaMalloc(&dOut, blocks * kConsumers * sizeof(long long)));
  CE(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  pipeline<<<blocks, 32 + kConsumers>>>(dIn, dOut, n);
  CE(cudaGetLastError());
  std::vector<long long> got(blocks * kConsumers), want(blocks * kConsumers);
  CE(cudaMemcpy(got.data(), dOut, got.size() * sizeof(long long), cudaMemcpyDeviceToHost));
  CE(cudaFree(dIn));
  CE(cudaFree(dOut));
  const int per = (n + blocks - 1) / blocks;
  for (int i = 0; i < n; ++i) {
    const long long v = in[i];
    want[i / per * kConsumers + i % per % kTile] += v * v * v - 2 * v;
  }
  for (size_t i = 0; i < want.size(); ++i)
    if (got[i] != want[i]) {
      std::printf("warp_specialised: consumer %zu: expected %lld, got %lld\n", i, want[i], got[i]);
      return 1;
    }
  std::printf("warp_specialised: ok\n");
  return 0;
}
