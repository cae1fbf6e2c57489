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

__global__ void relu_vec4(const float* in, float* out, int n) {
  int start = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (start + 3 < n) {
    float4 v = *reinterpret_cast<const float4*>(in + start);
    float lanes[4] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4 && start + k < n; ++k)
      out[start + k] = lanes[k] > 0 ? lanes[k] : 0;
  } else {
    for (int k = start; k < n; ++k)
      out[k] = in[k] > 0 ? in[k] : 0;
  }
}

int main() try {
  constexpr int n = 1021;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = i % 2 ? i * 0.25f : -i * 0.25f;

  DeviceArray<float> in(x), out(x.size());
  relu_vec4<<<2, 128>>>(in.data, out.data, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<float> y = out.to_host();
  for (int i = 0; i < n; ++i) {
    if (y[i] != (x[i] > 0 ? x[i] : 0)) {
      std::printf("y[%d] = %g\n", i, y[i]);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
