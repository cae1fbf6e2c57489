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

// out[i] = in[i + 1] - in[i]
__global__ void adjacent_difference(const int* in, int* out, int n) {
  extern __shared__ int tile[];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (i < n) tile[t] = in[i];
  __syncthreads();
  if (i + 1 < n) {
    const int next = tile[t + 1];  // finds: out-of-bounds
    out[i] = next - tile[t];
  }
}

int main() {
  const int n = 1000, block = 128;
  std::vector<int> in(n), out(n - 1);
  for (int i = 0; i < n; ++i)
    in[i] = i * i % 1009;

  int *d_in = nullptr, *d_out = nullptr;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, (n - 1) * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  adjacent_difference<<<(n + block - 1) / block, block, block * sizeof(int)>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  if (!failed) CHECK(cudaMemcpy(out.data(), d_out, (n - 1) * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(d_in));
  if (failed) return 1;

  for (int i = 0; i + 1 < n; ++i) {
    if (out[i] != in[i + 1] - in[i]) {
      std::printf("difference %d is %d, expected %d\n", i, out[i], in[i + 1] - in[i]);
      return 1;
    }
  }
  std::printf("ok\n");
}
