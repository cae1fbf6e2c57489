#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static bool good(cudaError_t status, const char* what) {
  if (status != cudaSuccess) printf("%s failed: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(void) {
  const int n = 1500;
  const size_t bytes = n * sizeof(float);
  float* x = (float*)malloc(bytes);
  float* y = (float*)malloc(bytes);
  float *d_x = NULL, *d_y = NULL;
  int errors = 0;
  for (int i = 0; i < n; i++) {
    x[i] = (float)i;
    y[i] = 2.0f;
  }

  bool fine = good(cudaMalloc((void**)&d_x, bytes), "cudaMalloc of x");
  fine &= good(cudaMalloc((void**)&d_y, bytes), "cudaMalloc of y");
  fine &= good(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice), "copy of x");
  fine &= good(cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice), "copy of y");

  saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, d_x, d_y);
  fine &= good(cudaGetLastError(), "saxpy");
  fine &= good(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

  fine &= good(cudaFree(d_x), "cudaFree of x");
  fine &= good(cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost), "copy");
  fine &= good(cudaFree(d_y), "cudaFree of y");

  for (int i = 0; i < n; i++)
    if (y[i] != 3.0f * x[i] + 2.0f) errors++;
  free(x);
  free(y);
  if (!fine || errors) {
    printf("%d errors\n", errors);
    return 1;
  }
  printf("ok\n");
  return 0;
}
