// The same reliance on lanes in step without the word volatile: the last warp of a reduction, in plain shared memory.
#include <stdio.h>
#include <stdlib.h>
#define HALVE(p, k) p[t] += p[t + k];
#define HALVE_TWICE(p, k) \
  p[t] += p[t + k]; \
  p[t] += p[t + k / 2]
__global__ void reduce(const int *in, int *out) {
  __shared__ int cache[128];
  int t = threadIdx.x;
  cache[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 32; s >>= 1) { if (t < s) cache[t] += cache[t + s]; __syncthreads(); }
  if (t < 32) {
    cache[t] += cache[t + 32];
    cache[t] += cache[t + 16];
    cache[t] += cache[t + 8];
    HALVE(cache, 4)
    HALVE_TWICE(cache, 2);
  }
  if (t == 0) out[blockIdx.x] = cache[0];
}
__global__ void reduceLoop(const int *in, int *out) {
  extern __shared__ int sh[];
  unsigned int t = threadIdx.x, s;
  sh[t] = in[blockIdx.x * 32 + t];
  for (s = 16; s > 0; s /= 2)
    if (t < s) sh[t] = sh[t] + sh[t + s];
  if (t == 0) out[blockIdx.x] = sh[0];
}
int main() {
  int in[512], out[16], *d_in, *d_out, bad = 0;
  for (int i = 0; i < 512; i++) in[i] = (i * 37 + 5) % 91;
  cudaMalloc(&d_in, sizeof in); cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  reduce<<<4, 128>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof(int) * 4, cudaMemcpyDeviceToHost);
  for (int b = 0; b < 4; b++) { int want = 0; for (int i = 0; i < 128; i++) want += in[b * 128 + i]; if (out[b] != want && !bad++) printf("block %d: expected %d, got %d\n", b, want, out[b]); }
  reduceLoop<<<16, 32, 32 * sizeof(int)>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int b = 0; b < 16; b++) { int want = 0; for (int i = 0; i < 32; i++) want += in[b * 32 + i]; if (out[b] != want && !bad++) printf("warp %d: expected %d, got %d\n", b, want, out[b]); }
  cudaFree(d_in); cudaFree(d_out);
  if (bad) return 1;
  printf("warp_sync_plain: ok\n");
}
