// Occupancy and attributes: the launch configuration that the runtime proposes, blocks for each multiprocessor, what
// cudaFuncGetAttributes says of kernels, and a large dynamic allocation after cudaFuncSetAttribute.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_ERROR(call)                                                                                 \
  do {                                                                                                    \
    if (const cudaError_t status = (call)) {                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));     \
      std::exit(1);                                                                                       \
    }                                                                                                     \
  } while (0)

__global__ void square(int *array, int n) {
  extern __shared__ int dynamicSmem[];
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) array[i] *= array[i];
}

__global__ void __launch_bounds__(96, 2) bounded(float *out) {
  __shared__ float s[200];
  for (int i = threadIdx.x; i < 200; i += blockDim.x) s[i] = i;
  __syncthreads();
  out[threadIdx.x] = s[199 - threadIdx.x];
}

__constant__ int stepOfReverse = 1;

// 60,000 bytes are more than a block has without asking
__global__ void reverseLarge(const int *in, int *out, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - stepOfReverse - i];
}

static int bytesOf(int blockSize) { return blockSize * (int)sizeof(int); }

int main() {
  int device;
  CHECK_ERROR(cudaGetDevice(&device));
  cudaDeviceProp prop;
  CHECK_ERROR(cudaGetDeviceProperties(&prop, device));

  const int n = 2500;
  std::vector<int> array(n);
  for (int i = 0; i < n; ++i) array[i] = i;
  int *dArray;
  CHECK_ERROR(cudaMalloc(&dArray, n * sizeof(int)));
  CHECK_ERROR(cudaMemcpy(dArray, array.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int minGridSize = 0, blockSize = 0;
  CHECK_ERROR(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&minGridSize, &blockSize, square, bytesOf, 0));
  CHECK_ERROR(cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, (void *)square, bytesOf(128), n));
  if (minGridSize < 1 || blockSize < 1 || blockSize > prop.maxThreadsPerBlock || blockSize % prop.warpSize) {
    std::printf("occupancy: expected a configuration, got %d blocks of %d\n", minGridSize, blockSize);
    return 1;
  }
  square<<<(n + blockSize - 1) / blockSize, blockSize, bytesOf(128)>>>(dArray, n);
  CHECK_ERROR(cudaGetLastError());
  std::vector<int> got(n);
  CHECK_ERROR(cudaMemcpy(got.data(), dArray, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK_ERROR(cudaFree(dArray));
  for (int i = 0; i < n; ++i)
    if (got[i] != i * i) {
      std::printf("occupancy: square %d: expected %d, got %d\n", i, i * i, got[i]);
      return 1;
    }

  int small = 0, large = 0;
  CHECK_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, square, 64, 0));
  CHECK_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&large, square, 1024, 40000));
  if (large < 1 || small <= large || small * 64 > prop.maxThreadsPerMultiProcessor || large * 1024 > prop.maxThreadsPerMultiProcessor) {
    std::printf("occupancy: blocks of 64 and of 1024 with 40000 bytes: expected more of the small, got %d and %d\n", small, large);
    return 1;
  }

  cudaFuncAttributes attributes;
  CHECK_ERROR(cudaFuncGetAttributes(&attributes, bounded));
  if (attributes.maxThreadsPerBlock != 96 || attributes.sharedSizeBytes != 200 * sizeof(float) || attributes.numRegs < 1) {
    std::printf("occupancy: bounded: expected 96 threads, %zu bytes, registers, got %d, %zu, %d\n", 200 * sizeof(float),
                attributes.maxThreadsPerBlock, attributes.sharedSizeBytes, attributes.numRegs);
    return 1;
  }
  float *out, reversed[96];
  CHECK_ERROR(cudaMalloc(&out, sizeof reversed));
  bounded<<<1, 96>>>(out);
  CHECK_ERROR(cudaGetLastError());
  CHECK_ERROR(cudaMemcpy(reversed, out, sizeof reversed, cudaMemcpyDeviceToHost));
  CHECK_ERROR(cudaFree(out));
  for (int i = 0; i < 96; ++i)
    if (!(reversed[i] == 199 - i)) {
      std::printf("occupancy: bounded %d: expected %d, got %g\n", i, 199 - i, reversed[i]);
      return 1;
    }

  const int m = 15000, bytes = m * (int)sizeof(int);
  if ((size_t)bytes > prop.sharedMemPerBlockOptin) {
    std::printf("occupancy: shared memory: expected at least %d bytes on request, got %zu\n", bytes, prop.sharedMemPerBlockOptin);
    return 1;
  }
  std::vector<int> in(m), back(m);
  for (int i = 0; i < m; ++i) in[i] = i ^ 0x55;
  int *dIn, *dBack;
  CHECK_ERROR(cudaMalloc(&dIn, bytes));
  CHECK_ERROR(cudaMalloc(&dBack, bytes));
  CHECK_ERROR(cudaMemcpy(dIn, in.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_ERROR(cudaFuncSetAttribute(reverseLarge, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK_ERROR(cudaFuncSetCacheConfig(square, cudaFuncCachePreferShared));
  reverseLarge<<<1, 128, bytes>>>(dIn, dBack, m);
  CHECK_ERROR(cudaGetLastError());
  CHECK_ERROR(cudaMemcpy(back.data(), dBack, bytes, cudaMemcpyDeviceToHost));
  CHECK_ERROR(cudaFree(dIn));
  CHECK_ERROR(cudaFree(dBack));
  for (int i = 0; i < m; ++i)
    if (back[i] != in[m - 1 - i]) {
      std::printf("occupancy: reversed %d: expected %d, got %d\n", i, in[m - 1 - i], back[i]);
      return 1;
    }
  std::printf("occupancy: ok\n");
  return 0;
}
