// C = A * B with square tiles in shared memory, for sizes that no tile divides.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_WIDTH 16

#define wbCheck(stmt)                                                     \
  do {                                                                    \
    cudaError_t err = stmt;                                               \
    if (err != cudaSuccess) {                                             \
      printf("Failed to run stmt %s: %s\n", #stmt, cudaGetErrorString(err)); \
      return -1;                                                          \
    }                                                                     \
  } while (0)

// Compute C = A * B
__global__ void matrixMultiplyShared(float *A, float *B, float *C,
                                     int numARows, int numAColumns,
                                     int numBRows, int numBColumns,
                                     int numCRows, int numCColumns) {
  __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
  __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y,
      Row = by * TILE_WIDTH + ty, Col = bx * TILE_WIDTH + tx;
  float Pvalue = 0;

  for (int m = 0; m < (numAColumns - 1) / TILE_WIDTH + 1; ++m) {
    if (Row < numARows && m * TILE_WIDTH + tx < numAColumns)
      ds_M[ty][tx] = A[Row * numAColumns + m * TILE_WIDTH + tx];
    else
      ds_M[ty][tx] = 0;
    if (Col < numBColumns && m * TILE_WIDTH + ty < numBRows)
      ds_N[ty][tx] = B[(m * TILE_WIDTH + ty) * numBColumns + Col];
    else
      ds_N[ty][tx] = 0;

    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k)
      Pvalue += ds_M[ty][k] * ds_N[k][tx];
    __syncthreads();
  }
  if (Row < numCRows && Col < numCColumns)
    C[Row * numCColumns + Col] = Pvalue;
}

int main(int argc, char **argv) {
  int m = 61, k = 45, n = 83;
  float *hostA = (float *)malloc(m * k * sizeof(float));
  float *hostB = (float *)malloc(k * n * sizeof(float));
  float *hostC = (float *)malloc(m * n * sizeof(float));
  float *deviceA, *deviceB, *deviceC;

  for (int i = 0; i < m * k; i++) hostA[i] = (float)(i % 19) - 9;   // whole numbers: the result is exact
  for (int i = 0; i < k * n; i++) hostB[i] = (float)(i % 23) - 11;

  wbCheck(cudaMalloc((void **)&deviceA, m * k * sizeof(float)));
  wbCheck(cudaMalloc((void **)&deviceB, k * n * sizeof(float)));
  wbCheck(cudaMalloc((void **)&deviceC, m * n * sizeof(float)));
  wbCheck(cudaMemcpy(deviceA, hostA, m * k * sizeof(float), cudaMemcpyHostToDevice));
  wbCheck(cudaMemcpy(deviceB, hostB, k * n * sizeof(float), cudaMemcpyHostToDevice));

  dim3 dimGrid((n - 1) / TILE_WIDTH + 1, (m - 1) / TILE_WIDTH + 1, 1);
  dim3 dimBlock(TILE_WIDTH, TILE_WIDTH, 1);
  matrixMultiplyShared<<<dimGrid, dimBlock>>>(deviceA, deviceB, deviceC, m, k, k, n, m, n);
  wbCheck(cudaGetLastError());
  wbCheck(cudaDeviceSynchronize());
  wbCheck(cudaMemcpy(hostC, deviceC, m * n * sizeof(float), cudaMemcpyDeviceToHost));
  wbCheck(cudaFree(deviceA));
  wbCheck(cudaFree(deviceB));
  wbCheck(cudaFree(deviceC));

  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float want = 0;
      for (int l = 0; l < k; l++) want += hostA[i * k + l] * hostB[l * n + j];
      if (!(hostC[i * n + j] == want)) {
        printf("matmul_tiled: element %d: expected %g, got %g\n", i * n + j, want, hostC[i * n + j]);
        return 1;
      }
    }
  free(hostA);
  free(hostB);
  free(hostC);
  printf("matmul_tiled: ok\n");
  return 0;
}
