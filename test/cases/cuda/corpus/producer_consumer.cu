// A ring in shared memory between two warps. Producer and consumer wait for each other by counters that they
// read and write atomically, and sleep between looks.
#include <stdio.h>
#include <stdlib.h>

#define RING 4      /* slots, each of 32 values */
#define ITEMS 41    /* batches that pass through */

__global__ void ring(const unsigned *in, unsigned *out)
{
  __shared__ unsigned slots[RING][32];
  __shared__ unsigned written, consumed;

  const unsigned lane = threadIdx.x & 31;
  if (threadIdx.x == 0) {
    written = 0;
    consumed = 0;
  }
  __syncthreads();

  if (threadIdx.x < 32) {
    /* producer */
    for (unsigned k = 0; k < ITEMS; k++) {
      if (lane == 0)
        while (k - atomicAdd(&consumed, 0u) >= RING)
          __nanosleep(20);
      __syncwarp();
      slots[k % RING][lane] = in[(blockIdx.x * ITEMS + k) * 32 + lane] * 3u + k;
      __threadfence_block();
      __syncwarp();
      if (lane == 0)
        atomicAdd(&written, 1u);
    }
  } else {
    /* consumer */
    unsigned hash = 2166136261u + lane;
    for (unsigned k = 0; k < ITEMS; k++) {
      if (lane == 0)
        while (atomicAdd(&written, 0u) <= k)
          __nanosleep(20);
      __threadfence_block();
      __syncwarp();
      hash = (hash ^ slots[k % RING][lane]) * 16777619u;
      __threadfence_block();
      __syncwarp();
      if (lane == 0)
        atomicAdd(&consumed, 1u);
    }
    out[blockIdx.x * 32 + lane] = hash;
  }
}

static int failed(cudaError_t e, const char *what)
{
  if (e == cudaSuccess)
    return 0;
  fprintf(stderr, "producer_consumer: %s: %s\n", what, cudaGetErrorString(e));
  return 1;
}

int main(void)
{
  enum { BLOCKS = 3, N = BLOCKS * ITEMS * 32 };
  static unsigned in[N], out[BLOCKS * 32];
  unsigned *din, *dout;

  for (int i = 0; i < N; i++)
    in[i] = (unsigned)i * 2654435761u;
  if (failed(cudaMalloc(&din, sizeof in), "cudaMalloc") || failed(cudaMalloc(&dout, sizeof out), "cudaMalloc"))
    return 1;
  if (failed(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice), "cudaMemcpy"))
    return 1;
  ring<<<BLOCKS, 64>>>(din, dout);
  if (failed(cudaGetLastError(), "ring") || failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize"))
    return 1;
  if (failed(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost), "cudaMemcpy"))
    return 1;
  if (failed(cudaFree(din), "cudaFree") || failed(cudaFree(dout), "cudaFree"))
    return 1;

  for (int b = 0; b < BLOCKS; b++)
    for (unsigned lane = 0; lane < 32; lane++) {
      unsigned hash = 2166136261u + lane;
      for (unsigned k = 0; k < ITEMS; k++)
        hash = (hash ^ (in[(b * ITEMS + k) * 32 + lane] * 3u + k)) * 16777619u;
      if (out[b * 32 + lane] != hash) {
        printf("producer_consumer: element %u: expected %u, got %u\n", b * 32 + lane, hash, out[b * 32 + lane]);
        return 1;
      }
    }
  printf("producer_consumer: ok\n");
  return 0;
}
