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

__global__ void scatter(const float* values, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = values[i];
  out[index[i]] = value;
}

int main() {
  // A stride of 7 visits each element once only if n is not a multiple of 7.
  const int n = 1401;
  std::vector<float> values(n);
  std::vector<int> index(n);
  for (int i = 0; i < n; ++i) {
    values[i] = 0.5f * i;
    index[i] = i * 7 % n;
  }
  try {
    DeviceArray<float> d_values(values), d_out(std::vector<float>(n, -1.0f));
    DeviceArray<int> d_index(index);
    scatter<<<(n + 127) / 128, 128>>>(d_values.data, d_index.data, d_out.data, n);
    CHECK(cudaGetLastError());
    const std::vector<float> out = d_out.to_host();
    for (int i = 0; i < n; ++i) {
      if (out[index[i]] != values[i]) {
        std::printf("element %d is %g, expected %g\n", index[i], out[index[i]], values[i]);
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
