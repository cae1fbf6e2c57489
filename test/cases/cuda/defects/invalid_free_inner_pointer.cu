// One step of gradient descent. Parameters and gradients share one allocation.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

__global__ void gradient(const float* params, float* grads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grads[i] = 2.0f * (params[i] - 1.0f);
}

__global__ void step(float* params, const float* grads, int n, float rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) params[i] -= rate * grads[i];
}

int main() {
  const int n = 600;
  std::vector<float> start(n), result(n);
  for (int i = 0; i < n; ++i)
    start[i] = 0.01f * i;

  float* d_params = nullptr;
  CHECK(cudaMalloc(&d_params, 2 * n * sizeof(float)));
  if (failed) return 1;
  float* d_grads = d_params + n;
  CHECK(cudaMemcpy(d_params, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  gradient<<<3, 200>>>(d_params, d_grads, n);
  CHECK(cudaGetLastError());
  step<<<3, 200>>>(d_params, d_grads, n, 0.1f);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), d_params, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_grads));  // finds: invalid-free
  CHECK(cudaFree(d_params));

  for (int i = 0; i < n && !failed; ++i) {
    float expected = start[i] - 0.1f * 2.0f * (start[i] - 1.0f);
    if (!(std::fabs(result[i] - expected) < 1e-5f)) {
      std::printf("parameter %d is %g, expected %g\n", i, result[i], expected);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
