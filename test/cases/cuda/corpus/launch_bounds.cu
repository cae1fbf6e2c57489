// Launch bounds and static shared memory: what cudaFuncGetAttributes and the occupancy functions say of kernels that are
// templates, overloads, in a namespace, and of one whose parameter has its name.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK_ERROR(call)                                                                                 \
  do {                                                                                                    \
    if (const cudaError_t status = (call)) {                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));     \
      std::exit(1);                                                                                       \
    }                                                                                                     \
  } while (0)

template <typename T, int THREADS, int... Sizes>
__global__ void __launch_bounds__(THREADS) fill(T *out) {
  __shared__ T tile[THREADS];
  __shared__ char flags[(Sizes + ... + 0)];
  tile[threadIdx.x] = T(threadIdx.x);
  flags[threadIdx.x % sizeof flags] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x] * T(flags[0]);
}

// One name, two kernels: each has its own bounds.
__launch_bounds__(64) __global__ void both(int *out) { out[threadIdx.x] = 1; }
__launch_bounds__(128, 4) __global__ void both(float *out) { out[threadIdx.x] = 2; }

namespace kernels {
static __global__ void large(float *out) {
  __shared__ double values[20 * 256];
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[threadIdx.x];
}
}  // namespace kernels

__global__ void __launch_bounds__(256) sum(const float *x, float *sum) {
  __shared__ float kept;
  if (threadIdx.x == 0) kept = x[0];
  __syncthreads();
  if (threadIdx.x == 0) *sum = kept;
}

static int sharedOf(int threads) { return threads * 80; }

static void expectInt(const char *what, int got, int expected) {
  if (got == expected) return;
  std::printf("launch_bounds: %s: expected %d, got %d\n", what, expected, got);
  std::exit(1);
}

int main() {
  cudaFuncAttributes attributes;
  CHECK_ERROR(cudaFuncGetAttributes(&attributes, fill<float, 96, 8, 4>));
  expectInt("threads of fill<float, 96>", attributes.maxThreadsPerBlock, 96);
  expectInt("bytes of fill<float, 96>", (int)attributes.sharedSizeBytes, 96 * 4 + 12);
  CHECK_ERROR(cudaFuncGetAttributes(&attributes, fill<double, 512, 16>));
  expectInt("threads of fill<double, 512>", attributes.maxThreadsPerBlock, 512);
  expectInt("bytes of fill<double, 512>", (int)attributes.sharedSizeBytes, 512 * 8 + 16);
  CHECK_ERROR(cudaFuncGetAttributes(&attributes, kernels::large));
  expectInt("bytes of large", (int)attributes.sharedSizeBytes, 40960);
  expectInt("threads of large", attributes.maxThreadsPerBlock, 1024);
  expectInt("dynamic bytes of large", attributes.maxDynamicSharedSizeBytes, 49152 - 40960);

  // 164 KB of a multiprocessor of compute capability 8.0, and 1 KB of each block for the driver.
  int blocks = 0, grid = 0, block = 0;
  CHECK_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::large, 128, 0));
  expectInt("blocks of large", blocks, 4);
  CHECK_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::large, 128, 8192));
  expectInt("blocks of large with 8 KB", blocks, 3);
  CHECK_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::large, 128, 8193));
  expectInt("blocks of large with too much", blocks, 0);
  CHECK_ERROR(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill<float, 96, 8, 4>));
  // 32 blocks of 64 are 2048 threads; of 96 threads 21 blocks fit.
  expectInt("block for fill<float, 96>", block, 64);
  CHECK_ERROR(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, fill<double, 512, 16>, sharedOf));
  // 448 threads need 41,088 of 167,936 bytes: four blocks. Of 480 three fit.
  expectInt("block for fill<double, 512>", block, 448);

  int *ints;
  float *floats, results[128];
  CHECK_ERROR(cudaMalloc(&ints, 64 * sizeof(int)));
  CHECK_ERROR(cudaMalloc(&floats, 128 * sizeof(float)));
  both<<<1, 64>>>(ints);
  both<<<1, 128>>>(floats);
  CHECK_ERROR(cudaGetLastError());
  CHECK_ERROR(cudaMemcpy(results, floats, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 128; ++i) expectInt("both", (int)results[i], 2);
  fill<float, 96, 8, 4><<<1, 96>>>(floats);
  CHECK_ERROR(cudaGetLastError());
  CHECK_ERROR(cudaMemcpy(results, floats, 96 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 96; ++i) expectInt("fill", (int)results[i], 95 - i);
  sum<<<1, 256>>>(floats, floats + 1);
  CHECK_ERROR(cudaGetLastError());
  CHECK_ERROR(cudaMemcpy(results, floats, 2 * sizeof(float), cudaMemcpyDeviceToHost));
  expectInt("sum", (int)results[1], 95);
  CHECK_ERROR(cudaFree(ints));
  CHECK_ERROR(cudaFree(floats));
  std::printf("launch_bounds: ok\n");
  return 0;
}
