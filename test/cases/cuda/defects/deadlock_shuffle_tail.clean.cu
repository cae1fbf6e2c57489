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

__global__ void sum_all(const int* in, int n, int* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? in[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

int main() {
  const int n = 500;
  std::vector<int> in(n);
  int expected = 0, total = 0;
  for (int i = 0; i < n; ++i)
    expected += in[i] = i % 11;
  int *d_in = nullptr, *d_total = nullptr;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_total, sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_total, 0, sizeof(int)));
  sum_all<<<(n + 127) / 128, 128>>>(d_in, n, d_total);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_total));
  if (failed || total != expected) {
    std::printf("total is %d, expected %d\n", total, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
