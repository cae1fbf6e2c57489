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

// The moving average of an optimizer's squared gradients.
__global__ void update(const float* grad, float* average, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float before = average[i];  // finds: uninitialized-read
  average[i] = 0.5f * before + 0.5f * grad[i] * grad[i];
}

int main() {
  const int n = 777;
  std::vector<float> grad(n), average(n);
  for (int i = 0; i < n; ++i)
    grad[i] = static_cast<float>(i % 13 - 6);
  float *d_grad = nullptr, *d_average = nullptr;
  CHECK(cudaMalloc(&d_grad, n * sizeof(float)));
  CHECK(cudaMalloc(&d_average, n * sizeof(float)));
  CHECK(cudaMemcpy(d_grad, grad.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_average, 0, n));
  for (int step = 0; step < 3; ++step) {
    update<<<(n + 255) / 256, 256>>>(d_grad, d_average, n);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(average.data(), d_average, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_grad));
  CHECK(cudaFree(d_average));
  for (int i = 0; i < n && !failed; ++i) {
    float expected = 0.875f * grad[i] * grad[i];
    if (average[i] != expected) {
      std::printf("average %d is %g, expected %g\n", i, average[i], expected);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
