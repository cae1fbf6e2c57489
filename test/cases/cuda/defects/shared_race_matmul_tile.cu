#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void gpu_assert(cudaError_t code, const char* file, int line) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    exit(code);
  }
}
#define gpuErrchk(answer) gpu_assert((answer), __FILE__, __LINE__)

const int TILE = 32;

// C = A B for square matrices. Only B is staged: a warp reads the same element of A.
__global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;

  float acc = 0.0f;
  for (int k0 = 0; k0 < n; k0 += TILE) {
    Bs[ty][tx] = B[(k0 + ty) * n + col];  // finds: shared-race
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      acc += A[row * n + k0 + k] * Bs[k][tx];  // and: shared-race
    }
  }
  C[row * n + col] = acc;
}

int main() {
  const int n = 64;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> A(n * n), B(n * n), C(n * n);
  for (int i = 0; i < n * n; i++) {
    A[i] = i % 5;
    B[i] = i % 3 - 1;
  }
  float *dA, *dB, *dC;
  gpuErrchk(cudaMalloc(&dA, bytes));
  gpuErrchk(cudaMalloc(&dB, bytes));
  gpuErrchk(cudaMalloc(&dC, bytes));
  gpuErrchk(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  gpuErrchk(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));

  matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(dA, dB, dC, n);
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());

  gpuErrchk(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));
  gpuErrchk(cudaFree(dA));
  gpuErrchk(cudaFree(dB));
  gpuErrchk(cudaFree(dC));

  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      float expected = 0;
      for (int k = 0; k < n; k++)
        expected += A[i * n + k] * B[k * n + j];
      if (C[i * n + j] != expected) {
        printf("C[%d][%d] = %g, expected %g\n", i, j, C[i * n + j], expected);
        return 1;
      }
    }
  }
  printf("ok\n");
  return 0;
}
