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

struct Queue {
  int count;
  int items[256];
};

__global__ void collect_primes(Queue* queue, int limit) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < 2 || n >= limit) return;
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return;
  int place = atomicAdd(&queue->count, 1);
  queue->items[place] = n;
}

int main() {
  Queue* queue = nullptr;
  CUDA_CHECK(cudaMalloc(&queue, sizeof(Queue)));
  CUDA_CHECK(cudaMemset(queue, 0, sizeof(Queue)));
  collect_primes<<<8, 128>>>(queue, 1000);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  int primes = queue->count;  // finds: device-pointer-on-host
  CUDA_CHECK(cudaFree(queue));
  if (primes != 168) {
    std::printf("found %d primes below 1000, expected 168\n", primes);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
