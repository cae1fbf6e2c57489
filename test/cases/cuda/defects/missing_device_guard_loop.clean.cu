// Two devices square one half of the values each.
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

__global__ void square_in_place(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}

int main() {
  const int half = 700, devices = 2;
  int count = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  if (count < devices) {
    std::printf("needs two devices\n");
    return 0;
  }
  std::vector<int> x(devices * half);
  for (int i = 0; i < devices * half; ++i)
    x[i] = i;

  int* parts[devices] = {};
  for (int d = 0; d < devices; ++d) {
    CUDA_CHECK(cudaSetDevice(d));
    CUDA_CHECK(cudaMalloc(&parts[d], half * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(parts[d], &x[d * half], half * sizeof(int), cudaMemcpyHostToDevice));
  }
  for (int d = 0; d < devices; ++d) {
    CUDA_CHECK(cudaSetDevice(d));
    square_in_place<<<(half + 127) / 128, 128>>>(parts[d], half);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  for (int d = 0; d < devices; ++d) {
    CUDA_CHECK(cudaSetDevice(d));
    CUDA_CHECK(cudaMemcpy(&x[d * half], parts[d], half * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(parts[d]));
  }
  for (int i = 0; i < devices * half; ++i) {
    if (x[i] != i * i) {
      std::printf("square of %d is %d\n", i, x[i]);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
