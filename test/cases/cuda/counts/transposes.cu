// Three transposes of a matrix: as it comes, through shared memory, and with a column of padding.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kSize = 128;
constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void naive(const float *in, float *out) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    out[x * kSize + y + j] =     // line: naive store
        in[(y + j) * kSize + x];  // line: naive load
}

template <int COLUMNS>
__global__ void tiled(const float *in, float *out) {
  __shared__ float tile[kTile][COLUMNS];
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    tile[threadIdx.y + j][threadIdx.x] =  // line: tile store
        in[(y + j) * kSize + x];          // line: tiled load
  __syncthreads();                        // line: barrier
  const int u = blockIdx.y * kTile + threadIdx.x;
  const int v = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    out[(v + j) * kSize + u] =              // line: tiled store
        tile[threadIdx.x][threadIdx.y + j];  // line: tile load
}

int main() {
  const int n = kSize * kSize;
  std::vector<float> values(n), got(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 grid(kSize / kTile, kSize / kTile), block(kTile, kRows);
  for (int way = 0; way < 3; ++way) {
    cudaMemset(out, 0, n * sizeof(float));
    if (way == 0) naive<<<grid, block>>>(in, out);
    if (way == 1) tiled<kTile><<<grid, block>>>(in, out);
    if (way == 2) tiled<kTile + 1><<<grid, block>>>(in, out);
    cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
      if (got[i] != values[i % kSize * kSize + i / kSize]) return 1;
  }
  cudaFree(in);
  cudaFree(out);
  return 0;
}
