#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

// One warp a row: the sum of 64 values.
__global__ void row_sums(const int* in, int* sums) {
  __shared__ int slices[4][32];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int row = blockIdx.x * 4 + warp;
  int* slice = slices[warp];
  slice[lane] = in[row * 64 + lane] + in[row * 64 + 32 + lane];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    if (lane < half) {
      int other = slice[lane + half];
      slice[lane] += other;
    }
    __syncwarp();
  }
  if (lane == 0) sums[row] = slice[0];
}

int main() {
  const int rows = 24;
  std::vector<int> in(rows * 64), sums(rows), expected(rows, 0);
  for (int i = 0; i < rows * 64; ++i) {
    in[i] = i % 29;
    expected[i / 64] += in[i];
  }
  int *d_in = nullptr, *d_sums = nullptr;
  CHECK(cudaMalloc(&d_in, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_sums, rows * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  row_sums<<<rows / 4, dim3(32, 4)>>>(d_in, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), d_sums, rows * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_sums));
  if (failed || sums != expected) {
    std::printf("the sums are wrong\n");
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
