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

__global__ void blur3(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) {
    float left = in[i - 1];  // finds: out-of-bounds
    out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * in[i + 1];
  }
}

int main() {
  const int n = 3000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> signal(n), result(n);
  for (int i = 0; i < n; i++)
    signal[i] = (i * 37 % 64) * 0.5f;

  float *d_in = nullptr, *d_out = nullptr;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMemcpy(d_in, signal.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_out, signal.data(), bytes, cudaMemcpyHostToDevice));
  blur3<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));

  for (int i = 1; i < n - 1 && !failed; i++) {
    float expected = 0.25f * signal[i - 1] + 0.5f * signal[i] + 0.25f * signal[i + 1];
    if (result[i] != expected) {
      std::printf("element %d is %g, expected %g\n", i, result[i], expected);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
