// A kernel that launches a kernel. Build: nvcc -rdc=true -lcudadevrt
#include <cuda_runtime.h>
#include <cstdio>

__global__ void child(int* data, int n, int add) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += add;
}

__global__ void parent(int* data, int n) {
  const int half = n / 2;
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    child<<<(half + 63) / 64, 64>>>(data, half, 1);  // refused: dynamic parallelism
    child<<<(n - half + 63) / 64, 64>>>(data + half, n - half, 2);
  }
}

int main() {
  const int n = 501;
  int *data, got[n];
  if (cudaMalloc(&data, sizeof got) || cudaMemset(data, 0, sizeof got)) return 1;
  parent<<<1, 32>>>(data, n);
  if (cudaGetLastError() || cudaDeviceSynchronize() || cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost) || cudaFree(data)) return 1;
  for (int i = 0; i < n; ++i)
    if (got[i] != (i < n / 2 ? 1 : 2)) return 1;
  std::printf("dynamic_parallelism: ok\n");
  return 0;
}
