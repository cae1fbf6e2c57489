#include <cuda_runtime.h>

#include <algorithm>
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

// One block adds up neighbours in pairs: n values become (n + 1) / 2.
__global__ void add_pairs(const long long* in, long long* out, int n) {
  for (int i = threadIdx.x; i < (n + 1) / 2; i += blockDim.x) {
    out[i] = in[2 * i] + (2 * i + 1 < n ? in[2 * i + 1] : 0);
  }
}

int main() {
  const int n = 777;
  std::vector<long long> values(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = i * 3 - 100;
    expected += values[i];
  }
  long long* d_values = nullptr;
  CUDA_CHECK(cudaMalloc(&d_values, n * sizeof(long long)));
  CUDA_CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(long long), cudaMemcpyHostToDevice));

  long long* d_half = nullptr;
  for (int count = n; count > 1; count = (count + 1) / 2) {
    const size_t bytes = (count + 1) / 2 * sizeof(long long);
    CUDA_CHECK(cudaMalloc(&d_half, bytes));
    add_pairs<<<1, 128>>>(d_values, d_half, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(d_values, d_half, bytes, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaFree(d_half));
  }
  long long sum = 0;
  CUDA_CHECK(cudaMemcpy(&sum, d_values, sizeof(sum), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_values));
  if (sum != expected) {
    std::printf("sum is %lld, expected %lld\n", sum, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
