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

#define WARPS_PER_BLOCK 8

// Reverses each run of 32 samples. Each warp walks over the runs.
__global__ void reverse_runs(short* samples, int runs) {
  __shared__ short exchange[WARPS_PER_BLOCK][32];
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  int warps = gridDim.x * WARPS_PER_BLOCK;

  for (int run = blockIdx.x * WARPS_PER_BLOCK + warp; run < runs; run += warps) {
    exchange[warp][lane] = samples[run * 32 + lane];
    __syncwarp();
    samples[run * 32 + lane] = exchange[warp][31 - lane];
    __syncwarp();
  }
}

int main() {
  const int runs = 45, n = runs * 32;
  std::vector<short> in(n), out(n);
  for (int i = 0; i < n; i++)
    in[i] = (short)(i * 3);

  short* d_samples;
  gpuErrchk(cudaMalloc(&d_samples, n * sizeof(short)));
  gpuErrchk(cudaMemcpy(d_samples, in.data(), n * sizeof(short), cudaMemcpyHostToDevice));
  reverse_runs<<<2, 32 * WARPS_PER_BLOCK>>>(d_samples, runs);
  gpuErrchk(cudaGetLastError());
  gpuErrchk(cudaMemcpy(out.data(), d_samples, n * sizeof(short), cudaMemcpyDeviceToHost));
  gpuErrchk(cudaFree(d_samples));

  for (int i = 0; i < n; i++) {
    if (out[i] != in[i / 32 * 32 + 31 - i % 32]) {
      printf("sample %d is %d\n", i, out[i]);
      return 1;
    }
  }
  printf("ok\n");
  return 0;
}
