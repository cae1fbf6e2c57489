// A batch of 32x32 matrices, each transposed by one warp in registers, with shuffles alone.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define cuda(call)                                                              \
  ([&] {                                                                        \
    cudaError_t e = cuda##call;                                                 \
    if (e != cudaSuccess) {                                                     \
      std::fprintf(stderr, "cuda" #call ": %s\n", cudaGetErrorString(e));       \
      std::exit(1);                                                             \
    }                                                                           \
  }())

// In each round, lanes whose number differs in one bit exchange the halves of their rows.
template <int Bit>
__device__ void exchange(int (&row)[32], int lane) {
  const bool upper = lane & Bit;
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    if (i & Bit) continue;
    int send = upper ? row[i] : row[i | Bit];
    int got = __shfl_xor_sync(0xffffffffu, send, Bit);
    if (upper)
      row[i] = got;
    else
      row[i | Bit] = got;
  }
}

__global__ void transposeBatch(const int* in, int* out, int matrices) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (warp >= matrices) return;
  const int* from = in + warp * 1024;
  int row[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) row[i] = from[lane * 32 + i];
  exchange<16>(row, lane);
  exchange<8>(row, lane);
  exchange<4>(row, lane);
  exchange<2>(row, lane);
  exchange<1>(row, lane);
#pragma unroll
  for (int i = 0; i < 32; ++i) out[warp * 1024 + lane * 32 + i] = row[i];
}

int main() {
  const int matrices = 13, n = matrices * 1024;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i * 3 + 1;
  int *a, *b;
  cuda(Malloc(&a, n * sizeof(int)));
  cuda(Malloc(&b, n * sizeof(int)));
  cuda(Memcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  transposeBatch<<<(matrices + 2) / 3, 96>>>(a, b, matrices);
  cuda(GetLastError());
  cuda(Memcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
  cuda(Free(a));
  cuda(Free(b));
  for (int i = 0; i < n; ++i) {
    int m = i / 1024, r = i / 32 % 32, c = i % 32;
    int want = in[m * 1024 + c * 32 + r];
    if (out[i] != want) {
      std::printf("transpose_warp: element %d: expected %d, got %d\n", i, want, out[i]);
      return 1;
    }
  }
  std::printf("transpose_warp: ok\n");
  return 0;
}
