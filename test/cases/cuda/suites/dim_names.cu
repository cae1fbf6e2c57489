// Host variables and members with the names of the device's, and names that a header could take.
#include <iostream>
#include <cmath>
#include <algorithm>
#include <complex>
#include <vector>
using namespace std;
#define TILE 16
typedef unsigned int uint; typedef unsigned char uchar; typedef struct { float x, y; } float2_t; typedef float4 vec4; typedef int3 coord_t;
struct Config { dim3 gridDim, blockDim; int threadIdx; };
namespace gpu { int current = 3; struct Block { int barrier; }; }
namespace checked { int count = 1; }
struct Site { int line; }; struct Worker { int id; }; struct Kernel { const char *name; }; struct Launch { int n; }; struct Warp { int lanes; };
int launch(int n) { return n + 1; }
int site = 4, current = 5, worker = 6; static int lane = 7; int fence(int a) { return a; } float exchange(float v) { return v; } int barrier = 2, launches = 1, yield_ = 1, vote = 1, polled = 9, trap = 3;
__device__ __host__ inline float lerp2(float a, float b, float t) { return a + t * (b - a); }
__device__ int clampi(int v, int lo, int hi) { return max(lo, min(v, hi)); }
__global__ void transpose(const float *in, float *out, int w, int h) {
  __shared__ float tile[TILE][TILE + 1];
  const dim3 blockSize(blockDim), origin(blockIdx.x * TILE, blockIdx.y * TILE);
  int x = origin.x + threadIdx.x, y = origin.y + threadIdx.y;
  if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = origin.y + threadIdx.x; y = origin.x + threadIdx.y;
  if (x < h && y < w) out[y * h + x] = lerp2(tile[threadIdx.x][threadIdx.y], 0.f, 0.5f) + clampi(blockSize.x, 0, 3) + abs(-2.5f) + max(1, 2) + min(3u, 4u) + std::max(1.f, 2.f) + fmaxf(0.f, 1.f) + max(1.0, 2.5) + pow(2.0f, 2) + ::sqrt(4.0f);
}
__global__ void where(uint3 *at, dim3 *size) {
  uint3 threadIndex = threadIdx; dim3 g = gridDim;
  auto id = blockIdx; const uint3 &b = blockIdx;
  int i = id.x * blockDim.x + threadIndex.x;
  at[i] = make_uint3(threadIndex.x, b.x, blockDim.x); if (i == 0) *size = g;
}
int main() {
  const int w = 45, h = 30;
  dim3 gridDim((w + TILE - 1) / TILE, (h + TILE - 1) / TILE), blockDim(TILE, TILE);
  dim3 threads = dim3(TILE, TILE); Config config = {gridDim, blockDim, 4};
  float *in, *out; vector<float> a(w * h), b(w * h);
  for (int i = 0; i < w * h; ++i) a[i] = i;
  cudaMalloc(&in, sizeof(float) * w * h); cudaMalloc(&out, sizeof(float) * w * h);
  cudaMemcpy(in, &a[0], sizeof(float) * w * h, cudaMemcpyHostToDevice);
  transpose<<<gridDim, blockDim>>>(in, out, w, h);
  transpose<<<config.gridDim, threads>>>(in, out, w, h);
  cudaMemcpy(&b[0], out, sizeof(float) * w * h, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) {
    float want = a[y * w + x] * 0.5f + 3 + 2.5f + 2 + 3 + 2 + 1 + 2.5f + 4 + 2;
    if (b[x * h + y] != want && !bad++) cout << "at " << x << ", " << y << ": expected " << want << ", got " << b[x * h + y] << endl;
  }
  { int blockIdx = 2, threadIdx = 3, warpSize = 4; if (blockIdx * threadIdx * warpSize != 24) bad++; for (int gridDim = 0; gridDim < 2; gridDim++) bad += gridDim > 1; }
  uint3 *at, h_at[64]; dim3 *size, h_size;
  cudaMalloc(&at, sizeof h_at); cudaMalloc(&size, sizeof h_size);
  where<<<2, 32>>>(at, size);
  cudaMemcpy(h_at, at, sizeof h_at, cudaMemcpyDeviceToHost); cudaMemcpy(&h_size, size, sizeof h_size, cudaMemcpyDeviceToHost);
  for (uint i = 0; i < 64; ++i) if ((h_at[i].x != i % 32 || h_at[i].y != i / 32 || h_at[i].z != 32) && !bad++) printf("thread %u\n", i);
  if (h_size.x != 2 || h_size.y != 1) bad++;
  complex<float> z(1, 2); z *= conj(z);
  if (z.real() != 5 || launch(1) != 2 || gpu::current + checked::count + ::current + site + worker + lane + fence(1) + barrier != 3 + 1 + 5 + 4 + 6 + 7 + 1 + 2 || max(1, 2) != 2 || min(2.5, 1.5) != 1.5) bad++;
  vec4 v = make_float4(1, 2, 3, 4); coord_t c = {1, 2, 3}; if (v.w + c.z != 7) bad++;
  cudaFree(in); cudaFree(out); cudaFree(at); cudaFree(size);
  if (bad) return 1;
  cout << "dim_names: ok" << endl;
}
