#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

namespace cg = cooperative_groups;

// Numbers the positive values of all blocks: a count a block, then ranks.
__global__ void rank_positive(const int* in, int* block_counts, int* ranks) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int positive = in[i] > 0;
  const int count = __syncthreads_count(positive);
  if (threadIdx.x == 0) block_counts[blockIdx.x] = count;
  grid.sync();
  int before = 0;
  for (int b = 0; b < blockIdx.x; ++b)
    before += block_counts[b];
  __shared__ int flags[128];
  flags[threadIdx.x] = positive;
  block.sync();
  for (int t = 0; t < threadIdx.x; ++t)
    before += flags[t];
  ranks[i] = positive ? before : -1;
  (void)grid;
}

int main() {
  int blocks = 6, threads = 128, n = blocks * threads;
  std::vector<int> in(n), ranks(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * 13 % 7 - 3;
  int *d_in = nullptr, *d_counts = nullptr, *d_ranks = nullptr;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_counts, blocks * sizeof(int)));
  CHECK(cudaMemset(d_counts, 0, blocks * sizeof(int)));
  CHECK(cudaMalloc(&d_ranks, n * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  void* args[] = {&d_in, &d_counts, &d_ranks};
  CHECK(cudaLaunchCooperativeKernel((const void*)rank_positive, dim3(blocks), dim3(threads), args,
                                    0, nullptr));
  CHECK(cudaMemcpy(ranks.data(), d_ranks, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_counts));
  CHECK(cudaFree(d_ranks));
  for (int i = 0, next = 0; i < n && !failed; ++i) {
    int expected = in[i] > 0 ? next++ : -1;
    if (ranks[i] != expected) {
      std::printf("rank %d is %d, expected %d\n", i, ranks[i], expected);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
