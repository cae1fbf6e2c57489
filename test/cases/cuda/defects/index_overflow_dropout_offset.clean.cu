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

// A hash of the element's place in the whole tensor, of which one column block is here.
__host__ __device__ inline unsigned hash(unsigned long long x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ull;
  return static_cast<unsigned>(x >> 32);
}

__global__ void dropout(float* x, int cols, int row_stride) {
  const int row = blockIdx.x;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const long long offset = static_cast<long long>(row) * row_stride + col;
    if (hash(offset) % 4 == 0) x[row * cols + col] = 0.0f;
  }
}

int main() {
  const int rows = 48, cols = 100, row_stride = 50 * 1000 * 1000;
  std::vector<float> ones(rows * cols, 1.0f);
  try {
    DeviceArray<float> x(ones);
    dropout<<<rows, 64>>>(x.data, cols, row_stride);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<float> result = x.to_host();
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) {
        const float expected = hash(1ull * row * row_stride + col) % 4 == 0 ? 0.0f : 1.0f;
        if (result[row * cols + col] != expected) {
          std::printf("(%d, %d) is %g\n", row, col, result[row * cols + col]);
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
