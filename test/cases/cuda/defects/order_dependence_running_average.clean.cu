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

// Adds up the losses of the blocks, each divided by their number.
__device__ void update(float* average, float loss) {
  atomicAdd(average, loss / gridDim.x);
}

__global__ void squared_error(const float* predicted, const float* target, float* average) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float difference = predicted[i] - target[i];
  float loss = difference * difference;
  for (int offset = 16; offset > 0; offset /= 2)
    loss += __shfl_down_sync(0xffffffff, loss, offset);
  if (threadIdx.x == 0) update(average, loss / 32);
}

int main() {
  const int blocks = 25, n = blocks * 32;
  std::vector<float> predicted(n), target(n);
  double expected = 0;
  for (int i = 0; i < n; ++i) {
    predicted[i] = 0.01f * i;
    target[i] = 0.02f * (n - i);
    expected += static_cast<double>(predicted[i] - target[i]) * (predicted[i] - target[i]) / n;
  }
  try {
    DeviceArray<float> d_predicted(predicted), d_target(target);
    DeviceArray<float> d_average(std::vector<float>{0.0f});
    squared_error<<<blocks, 32>>>(d_predicted.data, d_target.data, d_average.data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const float average = d_average.to_host()[0];
    if (!(std::fabs(average - expected) < 1e-3 * expected)) {
      std::printf("average is %g, expected %g\n", average, expected);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
