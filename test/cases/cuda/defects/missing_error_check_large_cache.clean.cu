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

// Collatz steps of each number. A cache of known results is optional.
__global__ void collatz(int* steps, const int* cache, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long value = i + 1;
  int count = 0;
  while (value != 1) {
    if (cache && value < n && cache[value] != 0) {
      count += cache[value];
      break;
    }
    value = value % 2 ? 3 * value + 1 : value / 2;
    ++count;
  }
  steps[i] = count;
}

int main() {
  int n = 200;
  std::vector<int> steps(n);
  int *d_steps = nullptr, *d_cache = nullptr;
  CUDA_CHECK(cudaMalloc(&d_steps, n * sizeof(int)));
  if (cudaMalloc(&d_cache, size_t{1} << 60) != cudaSuccess) {
    std::fprintf(stderr, "no cache: %s\n", cudaGetErrorString(cudaGetLastError()));
    d_cache = nullptr;
  }
  void* args[] = {&d_steps, &d_cache, &n};
  CUDA_CHECK(cudaLaunchKernel((const void*)collatz, dim3(2), dim3(128), args, 0, nullptr));
  CUDA_CHECK(cudaMemcpy(steps.data(), d_steps, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_steps));
  CUDA_CHECK(cudaFree(d_cache));
  if (steps[0] != 0 || steps[6] != 16 || steps[26] != 111) {
    std::printf("wrong steps: %d %d %d\n", steps[0], steps[6], steps[26]);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
