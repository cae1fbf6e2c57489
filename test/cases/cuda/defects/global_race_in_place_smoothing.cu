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

// Each block smooths one row with the rows above and below it.
__global__ void smooth_rows(const int* in, int* out, int width, int height) {
  const int y = blockIdx.x + 1;
  for (int x = threadIdx.x; x < width; x += blockDim.x) {
    int around = in[(y - 1) * width + x] + in[(y + 1) * width + x];  // finds: global-race
    out[y * width + x] = (around + 2 * in[y * width + x]) / 4;       // and: global-race
  }
}

int main() {
  const int width = 100, height = 26;
  std::vector<int> heights(width * height);
  for (int i = 0; i < width * height; ++i)
    heights[i] = i * 131 % 1000;
  try {
    DeviceArray<int> current(heights), next(heights);
    int* target = current.data;
    smooth_rows<<<height - 2, 64>>>(current.data, target, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<int> result = current.to_host();
    for (int y = 1; y < height - 1; ++y) {
      for (int x = 0; x < width; ++x) {
        int around = heights[(y - 1) * width + x] + heights[(y + 1) * width + x];
        int expected = (around + 2 * heights[y * width + x]) / 4;
        if (result[y * width + x] != expected) {
          std::printf("(%d, %d) is %d, expected %d\n", y, x, result[y * width + x], expected);
          return 1;
        }
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
