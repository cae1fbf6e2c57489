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

__global__ void flag_odd(const int* in, unsigned char* flags, int n, int padded) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flags[i] = in[i] & 1;
}

__global__ void count_flags(const unsigned* words, int count, int* total) {
  int sum = 0;
  for (int w = threadIdx.x; w < count; w += 32) {
    unsigned four = words[w];  // finds: uninitialized-read
    sum += __popc(four & 0x01010101u);
  }
  for (int d = 16; d > 0; d >>= 1)
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) *total = sum;
}

int main() {
  const int n = 1002, padded = (n + 3) / 4 * 4;
  std::vector<int> in(n);
  int expected = 0, total = 0;
  for (int i = 0; i < n; i++) {
    in[i] = i * i / 5;
    expected += in[i] & 1;
  }
  int *d_in, *d_total;
  unsigned char* d_flags;
  gpuErrchk(cudaMalloc(&d_in, n * sizeof(int)));
  gpuErrchk(cudaMalloc(&d_total, sizeof(int)));
  gpuErrchk(cudaMalloc(&d_flags, padded));
  gpuErrchk(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  flag_odd<<<(padded + 63) / 64, 64>>>(d_in, d_flags, n, padded);
  gpuErrchk(cudaGetLastError());
  count_flags<<<1, 32>>>(reinterpret_cast<unsigned*>(d_flags), padded / 4, d_total);
  gpuErrchk(cudaGetLastError());
  gpuErrchk(cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost));
  gpuErrchk(cudaFree(d_in));
  gpuErrchk(cudaFree(d_total));
  gpuErrchk(cudaFree(d_flags));
  if (total != expected) {
    printf("%d odd numbers, expected %d\n", total, expected);
    return 1;
  }
  printf("ok\n");
  return 0;
}
