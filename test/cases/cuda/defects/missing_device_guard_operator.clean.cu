#include <cuda_runtime.h>

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

struct DeviceGuard {
  explicit DeviceGuard(int device) {
    CHECK(cudaGetDevice(&before));
    CHECK(cudaSetDevice(device));
  }
  ~DeviceGuard() {
    cudaError_t status = cudaSetDevice(before);
    if (status != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  }
  int before = 0;
};

struct Tensor {
  int device;
  float* data;
  int size;
};

__global__ void leaky_relu_kernel(const float* x, float* y, int n, float slope) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = x[i];
  y[i] = value > 0 ? value : slope * value;
}

// The result is on the current device unless the guard says otherwise.
std::vector<float> leaky_relu(const Tensor& x) {
  DeviceGuard guard(x.device);
  DeviceArray<float> y(x.size);
  leaky_relu_kernel<<<(x.size + 255) / 256, 256>>>(x.data, y.data, x.size, 0.5f);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return y.to_host();
}

int run() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) {
    std::printf("needs two devices\n");
    return 0;
  }
  std::vector<float> values(600);
  for (int i = 0; i < 600; ++i)
    values[i] = static_cast<float>(i - 300);

  CHECK(cudaSetDevice(1));
  DeviceArray<float> memory(values);
  CHECK(cudaSetDevice(0));
  const std::vector<float> result = leaky_relu({1, memory.data, 600});
  for (int i = 0; i < 600; ++i) {
    const float expected = values[i] > 0 ? values[i] : 0.5f * values[i];
    if (result[i] != expected) {
      std::printf("element %d is %g, expected %g\n", i, result[i], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
