#include <cooperative_groups.h>
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

// Divides all values by their total, in one cooperative launch.
__global__ void normalize(float* x, int n, float* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x * blockDim.x >= n) return;
  if (i < n) atomicAdd(total, x[i]);
  cooperative_groups::this_grid().sync();  // finds: deadlock
  if (i < n) x[i] /= *total;
}

int main() {
  int n = 300;
  const int threads = 64, blocks = 6;
  std::vector<float> x(n);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] = static_cast<float>(i % 5 + 1);
  try {
    DeviceArray<float> d_x(x), d_total(std::vector<float>{0.0f});
    void* args[] = {&d_x.data, &n, &d_total.data};
    CHECK(cudaLaunchCooperativeKernel((const void*)normalize, dim3(blocks), dim3(threads), args, 0,
                                      nullptr));
    CHECK(cudaDeviceSynchronize());
    const std::vector<float> result = d_x.to_host();
    for (int i = 0; i < n; ++i) {
      if (result[i] != x[i] / sum) {
        std::printf("value %d is %g, expected %g\n", i, result[i], x[i] / sum);
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
