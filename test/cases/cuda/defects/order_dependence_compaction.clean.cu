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

__global__ void select_large(const int* in, int n, int limit, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] <= limit) return;
  int place = 0;
  for (int j = 0; j < i; ++j)
    place += in[j] > limit;
  out[place] = in[i];
  atomicAdd(count, 1);
}

int main() {
  const int n = 800, limit = 600;
  std::vector<int> in(n), expected;
  for (int i = 0; i < n; ++i) {
    in[i] = i * 331 % 1009;
    if (in[i] > limit) expected.push_back(in[i]);
  }
  int *d_in = nullptr, *d_out = nullptr, *d_count = nullptr, count = 0;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CHECK(cudaMalloc(&d_count, sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_count, 0, sizeof(int)));
  select_large<<<(n + 99) / 100, 100>>>(d_in, n, limit, d_out, d_count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost));
  std::vector<int> out(count);
  CHECK(cudaMemcpy(out.data(), d_out, count * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(d_count));
  if (failed || out != expected) {
    std::printf("the selection is wrong\n");
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
