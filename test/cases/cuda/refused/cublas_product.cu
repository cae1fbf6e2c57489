// A product by cuBLAS. Build: nvcc -lcublas
#include <cublas_v2.h>  // refused: cublas_v2.h
#include <cuda_runtime.h>
#include <cstdio>

__global__ void fill(float* p, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = v;
}

int main() {
  const int n = 20;
  float *a, *b, *c, got[n * n];
  if (cudaMalloc(&a, sizeof got) || cudaMalloc(&b, sizeof got) || cudaMalloc(&c, sizeof got)) return 1;
  fill<<<4, 128>>>(a, n * n, 0.5f);
  fill<<<4, 128>>>(b, n * n, 2.0f);
  if (cudaGetLastError()) return 1;
  cublasHandle_t handle;
  const float one = 1.0f, zero = 0.0f;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n) != CUBLAS_STATUS_SUCCESS) return 1;
  if (cublasDestroy(handle) != CUBLAS_STATUS_SUCCESS) return 1;
  if (cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost) || cudaFree(a) || cudaFree(b) || cudaFree(c)) return 1;
  for (float v : got)
    if (!(v == n)) return 1;
  std::printf("cublas_product: ok\n");
  return 0;
}
