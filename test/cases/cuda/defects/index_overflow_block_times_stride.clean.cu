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

// Samples a periodic signal far apart. The signal is computed, so no memory of that size is needed.
__global__ void sample(int stride, int period, int* phases, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  long long i = static_cast<long long>(t) * stride;
  phases[t] = i % period;
}

int main() {
  const int n = 1000, stride = 3000000, period = 1013;
  std::vector<int> phases(n);
  int* d_phases;
  CUDA_CHECK(cudaMalloc(&d_phases, n * sizeof(int)));
  sample<<<(n + 127) / 128, 128>>>(stride, period, d_phases, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(phases.data(), d_phases, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_phases));
  for (int t = 0; t < n; ++t) {
    const int expected = static_cast<int>(static_cast<long long>(t) * stride % period);
    if (phases[t] != expected) {
      std::printf("phase %d is %d, expected %d\n", t, phases[t], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
