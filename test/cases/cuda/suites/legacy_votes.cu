// Warp operations by their names of before CUDA 9: no mask, the lanes that are there take part.
#include <stdio.h>

__inline__ __device__ int warpReduceSum(int val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down(val, offset);
  return val;
}

__global__ void votes(const int *in, int *out) {
  int lane = threadIdx.x & 31, v = in[threadIdx.x];
  int sum = warpReduceSum(v);
  sum = __shfl(sum, 0);
  int best = v;
  for (int m = 16; m >= 1; m >>= 1) { int o = __shfl_xor(best, m, 32); best = best > o ? best : o; }
  int scan = v;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) { int o = __shfl_up(scan, d); if (lane >= d) scan += o; }
  out[threadIdx.x * 6] = sum;
  out[threadIdx.x * 6 + 1] = best;
  out[threadIdx.x * 6 + 2] = scan;
  out[threadIdx.x * 6 + 3] = __popc(__ballot(v & 1));
  out[threadIdx.x * 6 + 4] = __any(v == 63) + 2 * __all(v >= 0);
  int some = -1;
  if (lane < 8) some = __popc(__ballot(1));
  out[threadIdx.x * 6 + 5] = some;
}

int main(void) {
  int in[64], out[64 * 6], *d_in, *d_out, bad = 0;
  for (int i = 0; i < 64; i++) in[i] = (i * 29) & 63;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  votes<<<1, 64>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int w = 0; w < 2; w++) {
    int sum = 0, best = 0, odd = 0, any = 0;
    for (int i = 0; i < 32; i++) {
      int v = in[w * 32 + i];
      sum += v; best = v > best ? v : best; odd += v & 1; any |= v == 63;
    }
    for (int i = 0, scan = 0; i < 32; i++) {
      scan += in[w * 32 + i];
      int want[6] = {sum, best, scan, odd, any + 2, i < 8 ? 8 : -1};
      for (int k = 0; k < 6; k++)
        if (out[(w * 32 + i) * 6 + k] != want[k] && !bad++)
          printf("lane %d of warp %d, value %d: expected %d, got %d\n", i, w, k, want[k], out[(w * 32 + i) * 6 + k]);
    }
  }
  cudaFree(d_in); cudaFree(d_out);
  if (bad) return 1;
  printf("legacy_votes: ok\n");
  return 0;
}
