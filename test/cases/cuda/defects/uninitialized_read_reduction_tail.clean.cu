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

__global__ void block_sums(const int* in, int* sums, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      s[t] += s[t + half];
    }
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

int main() {
  const int n = 1000, block = 256, blocks = (n + block - 1) / block;
  std::vector<int> in(n), sums(blocks);
  int expected = 0;
  for (int i = 0; i < n; ++i)
    expected += in[i] = i % 100;
  int *d_in, *d_sums;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  block_sums<<<blocks, block, block * sizeof(int)>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_sums));
  int sum = 0;
  for (int value : sums)
    sum += value;
  if (sum != expected) {
    std::printf("sum is %d, expected %d\n", sum, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
