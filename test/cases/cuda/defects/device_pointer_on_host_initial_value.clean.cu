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

__global__ void dot(const int* a, const int* b, int* result, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += a[i] * b[i];
  }
  for (int offset = 16; offset > 0; offset >>= 1)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(result, sum);
}

int main() {
  const int n = 2500;
  std::vector<int> a(n), b(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = i % 10;
    b[i] = i % 7 - 3;
    expected += a[i] * b[i];
  }
  int *d_a = nullptr, *d_b = nullptr, *d_result = nullptr;
  CHECK(cudaMalloc(&d_a, n * sizeof(int)));
  CHECK(cudaMalloc(&d_b, n * sizeof(int)));
  CHECK(cudaMalloc(&d_result, sizeof(int)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_result, 0, sizeof(int)));
  dot<<<4, 128>>>(d_a, d_b, d_result, n);
  CHECK(cudaGetLastError());
  int result = 0;
  CHECK(cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_result));
  if (failed || result != expected) {
    std::printf("dot is %d, expected %d\n", result, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
