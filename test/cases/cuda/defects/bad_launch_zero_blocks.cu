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

__global__ void clamp_values(int* x, int n, int low, int high) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = min(max(x[i], low), high);
}

static std::vector<int> clamped(std::vector<int> x) {
  const int n = static_cast<int>(x.size()), block = 256;
  int* d_x = nullptr;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  const int blocks = n / block;
  clamp_values<<<blocks, block>>>(d_x, n, -10, 10);  // finds: bad-launch
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x.data(), d_x, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_x));
  return x;
}

int main() {
  for (int n : {512, 100}) {
    std::vector<int> x(n);
    for (int i = 0; i < n; ++i)
      x[i] = i % 41 - 20;
    std::vector<int> y = clamped(x);
    for (int i = 0; i < n && !failed; ++i) {
      int expected = x[i] < -10 ? -10 : x[i] > 10 ? 10 : x[i];
      if (y[i] != expected) {
        std::printf("n = %d: element %d is %d, expected %d\n", n, i, y[i], expected);
        failed = true;
      }
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
