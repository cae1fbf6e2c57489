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

constexpr int kThreads = 128;
__device__ unsigned int finished_blocks = 0;

// The block that finishes last adds up the partial sums.
__global__ void sum_of_squares(const int* in, int n, int* partial, int* total) {
  __shared__ int warp_sums[kThreads / 32];
  __shared__ bool last;
  int sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    sum += in[i] * in[i];
  }
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int block_sum = 0;
    for (int w = 0; w < kThreads / 32; ++w)
      block_sum += warp_sums[w];
    partial[blockIdx.x] = block_sum;  // and: global-race
    unsigned int ticket = atomicAdd(&finished_blocks, 1u);
    last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int sum_of_all = 0;
    for (int b = 0; b < gridDim.x; ++b) {
      sum_of_all += partial[b];  // finds: global-race
    }
    *total = sum_of_all;
  }
}

int main() {
  const int n = 5000, blocks = 12;
  std::vector<int> in(n);
  int expected = 0, total = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = i % 31 - 15;
    expected += in[i] * in[i];
  }
  int *d_in = nullptr, *d_partial = nullptr, *d_total = nullptr;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_partial, blocks * sizeof(int)));
  CHECK(cudaMalloc(&d_total, sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_of_squares<<<blocks, kThreads>>>(d_in, n, d_partial, d_total);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_partial));
  CHECK(cudaFree(d_total));
  if (failed || total != expected) {
    std::printf("total is %d, expected %d\n", total, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
