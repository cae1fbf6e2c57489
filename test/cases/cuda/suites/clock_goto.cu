// clock() in kernels, goto, asm, switch fall through, unroll pragmas, local arrays, comma expressions.
#include <stdio.h>
#include <time.h>
#include <stdint.h>
__device__ __forceinline__ unsigned laneId() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__device__ __forceinline__ unsigned bfe(unsigned x, unsigned p, unsigned n) { unsigned r; asm volatile ("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(p), "r"(n)); return r; }
__device__ __forceinline__ uint32_t mad(uint32_t a, uint32_t b, uint32_t c) { uint32_t r; asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
__device__ __forceinline__ uint32_t addc(uint32_t a, uint32_t b) { uint32_t r; asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__global__ static void timedReduction(const float *input, float *output, clock_t *timer) {
  extern __shared__ float shared[];
  const int tid = threadIdx.x, bid = blockIdx.x;
  if (tid == 0) timer[bid] = clock();
  shared[tid] = input[tid]; shared[tid + blockDim.x] = input[tid + blockDim.x];
  for (int d = blockDim.x; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d) { float f0 = shared[tid], f1 = shared[tid + d]; if (f1 < f0) shared[tid] = f1; }
  }
  if (tid == 0) output[bid] = shared[0];
  __syncthreads();
  if (tid == 0) timer[bid + gridDim.x] = clock();
}
__global__ void control(int *out, int n) {
  int i = threadIdx.x, steps = 0, v = i + 1; int digits[10];
again:
  if (v == 1) goto done;
  v = v & 1 ? 3 * v + 1 : v >> 1, ++steps;
  if (steps < 200) goto again;
done:
#pragma unroll 5
  for (int k = 0; k < 10; ++k) digits[k] = (i >> k) & 1;
  int ones = 0;
#pragma unroll
  for (int k = 0; k < 10; k++) ones += digits[k];
  switch (i & 3) { case 0: steps += 1000; case 1: steps += 100; break; case 2: { steps += 10; break; } default: ; }
  if (ones != __popc(i)) steps = -1;
  if (bfe(i, 1, 3) != ((i >> 1) & 7) || laneId() != i % 32 || mad(i, 3, 4) != i * 3 + 4 || addc(i, 5) != i + 5) steps = -2;
  if (i < n) out[i] = steps;
}
int main() {
  const int N = 64;
  float *dinput, *doutput; clock_t *dtimer, timer[8]; float input[2 * N], output[4]; int *d_out, out[96], bad = 0;
  for (int i = 0; i < 2 * N; i++) input[i] = (float)((i * 51 + 9) % 128);
  cudaMalloc((void **)&dinput, sizeof input); cudaMalloc((void **)&doutput, sizeof output); cudaMalloc((void **)&dtimer, sizeof timer); cudaMalloc((void **)&d_out, sizeof out);
  cudaMemcpy(dinput, input, sizeof input, cudaMemcpyHostToDevice);
  clock_t begin = clock();
  timedReduction<<<4, N, sizeof(float) * 2 * N>>>(dinput, doutput, dtimer);
  cudaMemcpy(output, doutput, sizeof output, cudaMemcpyDeviceToHost); cudaMemcpy(timer, dtimer, sizeof timer, cudaMemcpyDeviceToHost);
  for (int b = 0; b < 4; b++) if (output[b] != 0 || timer[b + 4] <= timer[b]) bad = 1, printf("block %d: %f, %ld to %ld\n", b, output[b], (long)timer[b], (long)timer[b + 4]);
  control<<<1, 96>>>(d_out, 96);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 96; i++) {
    int steps = 0; for (int v = i + 1; v != 1 && steps < 200; steps++) v = v & 1 ? 3 * v + 1 : v >> 1;
    steps += (i & 3) == 0 ? 1100 : (i & 3) == 1 ? 100 : (i & 3) == 2 ? 10 : 0;
    if (out[i] != steps && !bad++) printf("element %d: expected %d, got %d\n", i, steps, out[i]);
  }
  if (clock() < begin) bad = 1;
  cudaFree(dinput); cudaFree(doutput); cudaFree(dtimer); cudaFree(d_out);
  if (bad) return 1;
  printf("clock_goto: ok\n");
}
