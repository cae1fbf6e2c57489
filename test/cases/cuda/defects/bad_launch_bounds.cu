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

__global__ void __launch_bounds__(256) add_matrices(const int* a, const int* b, int* c, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
}

int main() {
  const int rows = 100, cols = 60;
  std::vector<int> a(rows * cols), b(rows * cols);
  for (int i = 0; i < rows * cols; ++i) {
    a[i] = i;
    b[i] = 5 * i % 101;
  }
  try {
    DeviceArray<int> d_a(a), d_b(b), d_c(a.size());
    dim3 block(32, 16);
    dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    add_matrices<<<grid, block>>>(d_a.data, d_b.data, d_c.data, rows, cols);  // finds: bad-launch
    CHECK(cudaGetLastError());
    std::vector<int> c = d_c.to_host();
    for (int i = 0; i < rows * cols; ++i) {
      if (c[i] != a[i] + b[i]) {
        std::printf("element %d is %d, expected %d\n", i, c[i], a[i] + b[i]);
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
