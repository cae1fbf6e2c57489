#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

struct Found {
  int count;
  int largest;
};

__global__ void find_primes(Found* found, int limit) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < 2 || n >= limit) return;
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return;
  atomicAdd(&found->count, 1);
  atomicMax(&found->largest, n);
}

int main() {
  Found* found = nullptr;
  CUDA_CHECK(cudaMallocManaged(&found, sizeof(Found)));
  CUDA_CHECK(cudaMemset(found, 0, sizeof(Found)));
  find_primes<<<8, 128>>>(found, 1000);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const int primes = found->count;
  CUDA_CHECK(cudaFree(found));
  if (primes != 168) {
    std::printf("found %d primes below 1000, expected 168\n", primes);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
