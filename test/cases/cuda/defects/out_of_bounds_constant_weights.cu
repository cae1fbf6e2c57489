#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  throw std::runtime_error("line " + std::to_string(line) + ": " + cudaGetErrorString(status));
}
#define CHECK(call) check((call), __LINE__)

template <typename T>
struct DeviceArray {
  explicit DeviceArray(size_t count) : size(count) { CHECK(cudaMalloc(&data, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data, values.data(), size * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    cudaError_t status = cudaFree(data);
    if (status != cudaSuccess) std::fprintf(stderr, "cudaFree: %s\n", cudaGetErrorString(status));
  }

  std::vector<T> to_host() const {
    std::vector<T> values(size);
    CHECK(cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  T* data = nullptr;
  size_t size;
};

__constant__ float c_weights[5];

__global__ void convolve(const float* in, float* out, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = -radius; k <= radius; k++) {
    int j = min(max(i + k, 0), n - 1);
    float w = c_weights[k + radius];  // finds: out-of-bounds
    sum += w * in[j];
  }
  out[i] = sum;
}

int main() {
  const float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
  const int n = 500;
  const int radius = 3;
  std::vector<float> signal(n);
  for (int i = 0; i < n; i++)
    signal[i] = std::sin(0.1f * i);
  try {
    CHECK(cudaMemcpyToSymbol(c_weights, weights, sizeof(weights)));
    DeviceArray<float> in(signal), out(signal.size());
    convolve<<<(n + 63) / 64, 64>>>(in.data, out.data, n, radius);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<float> result = out.to_host();
    for (int i = 2; i < n - 2; i++) {
      float expected = 0.0f;
      for (int k = -2; k <= 2; k++)
        expected += weights[k + 2] * signal[i + k];
      if (!(std::fabs(result[i] - expected) < 1e-5f)) {
        std::printf("%d: %g instead of %g\n", i, result[i], expected);
        return 1;
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
