#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

// How far each value is from its right neighbour, with the block's values in shared memory.
__global__ void distances(const int* in, int* out, int n) {
  __shared__ int tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads();  // finds: divergent-barrier
  if (i == n - 1) {
    out[i] = 0;
  } else {
    int next = threadIdx.x < 127 ? tile[threadIdx.x + 1] : in[i + 1];
    out[i] = abs(next - tile[threadIdx.x]);
  }
}

int main() {
  const int n = 1000;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * 101 % 256;
  int *d_in = nullptr, *d_out = nullptr;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
  distances<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  for (int i = 0; i < n && !failed; ++i) {
    int expected = i + 1 < n ? std::abs(in[i + 1] - in[i]) : 0;
    if (out[i] != expected) {
      std::printf("distance %d is %d, expected %d\n", i, out[i], expected);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
