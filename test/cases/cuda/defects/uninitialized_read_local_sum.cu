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

// Each thread averages the first elements of its row.
__global__ void row_means(const float* x, const int* lengths, float* means, int columns, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum;
  for (int column = 0; column < lengths[row]; ++column)
    sum += x[row * columns + column];  // finds: uninitialized-read
  means[row] = sum / lengths[row];
}

int main() {
  const int rows = 70, columns = 9;
  std::vector<float> x(rows * columns), expected(rows);
  std::vector<int> lengths(rows);
  for (int row = 0; row < rows; ++row) {
    lengths[row] = 1 + row % columns;
    float sum = 0;
    for (int column = 0; column < lengths[row]; ++column)
      sum += x[row * columns + column] = static_cast<float>(row % 5 + column);
    expected[row] = sum / lengths[row];
  }
  try {
    DeviceArray<float> d_x(x), d_means(rows);
    DeviceArray<int> d_lengths(lengths);
    row_means<<<3, 32>>>(d_x.data, d_lengths.data, d_means.data, columns, rows);
    CHECK(cudaGetLastError());
    if (d_means.to_host() != expected) {
      std::printf("the means are wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
