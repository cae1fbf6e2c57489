#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

constexpr int kThreads = 256;

__global__ void sum_blocks(const int* in, int* sums, int n) {
  __shared__ int s[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  // Down to one value a lane of the first warp, which adds up the rest with shuffles.
  for (int stride = kThreads / 2; stride >= 32; stride /= 2) {
    if (t < stride) {
      const int other = s[t + stride];
      s[t] += other;
    }
    __syncthreads();
  }
  if (t < 32) {
    int sum = s[t];
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (t == 0) sums[blockIdx.x] = sum;
  }
}

int main() {
  const int n = 3333, blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> in(n), sums(blocks);
  long expected = 0;
  for (int i = 0; i < n; ++i)
    expected += in[i] = i % 23;

  int *d_in = nullptr, *d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_blocks<<<blocks, kThreads>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_sums));

  long sum = 0;
  for (int block_sum : sums)
    sum += block_sum;
  if (sum != expected) {
    std::printf("sum is %ld, expected %ld\n", sum, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
