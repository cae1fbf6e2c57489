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

__global__ void cube(long long* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] * x[i];
}

int main() {
  // The large machine has eight devices.
  const int preferred = 7;
  cudaSetDevice(preferred);  // finds: missing-error-check

  int n = 400;
  std::vector<long long> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = i - 200;
  long long* d_x = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, n * sizeof(long long)));
  CUDA_CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(long long), cudaMemcpyHostToDevice));
  void* args[] = {&d_x, &n};
  CUDA_CHECK(cudaLaunchKernel((const void*)cube, dim3(4), dim3(128), args, 0, nullptr));
  CUDA_CHECK(cudaMemcpy(x.data(), d_x, n * sizeof(long long), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  for (int i = 0; i < n; ++i) {
    const long long base = i - 200;
    if (x[i] != base * base * base) {
      std::printf("cube of %lld is %lld\n", base, x[i]);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
