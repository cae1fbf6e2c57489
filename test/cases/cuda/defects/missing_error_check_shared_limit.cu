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

// Rotates one row by a number of places. The row is staged in shared memory.
__global__ void rotate(int* row, int n, int places) {
  extern __shared__ int staged[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    staged[i] = row[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    row[i] = staged[(i + places) % n];
}

int main() {
  // Rows of up to 256 KB, if the device can do that.
  int largest = 64 * 1024;
  const cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  cudaFuncSetAttribute(rotate, limit, largest * sizeof(int));  // finds: missing-error-check

  int n = 5000, places = 77;
  if (n > largest) {
    std::printf("rows of %d values are too long\n", n);
    return 1;
  }
  std::vector<int> row(n);
  for (int i = 0; i < n; ++i)
    row[i] = i * 3;
  int* d_row = nullptr;
  CUDA_CHECK(cudaMalloc(&d_row, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_row, row.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  void* args[] = {&d_row, &n, &places};
  CUDA_CHECK(
      cudaLaunchKernel((const void*)rotate, dim3(1), dim3(256), args, n * sizeof(int), nullptr));
  CUDA_CHECK(cudaMemcpy(row.data(), d_row, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_row));
  for (int i = 0; i < n; ++i) {
    if (row[i] != (i + places) % n * 3) {
      std::printf("value %d is %d\n", i, row[i]);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
