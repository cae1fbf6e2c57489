// Scales the rows of a matrix. Each warp takes the next row from a counter.
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

constexpr int kWarps = 4;

__global__ void scale_rows(const int* factors, int* matrix, int rows, int cols, int* next_row) {
  __shared__ int row_of_warp[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  while (true) {
    if (lane == 0) {
      const int fetched = atomicAdd(next_row, 1);
      row_of_warp[warp] = fetched;
    }
    __syncwarp();
    const int row = row_of_warp[warp];
    __syncwarp();
    if (row >= rows) break;
    for (int c = lane; c < cols; c += 32)
      matrix[row * cols + c] *= factors[row];
  }
}

int main() {
  const int rows = 60, cols = 70;
  std::vector<int> factors(rows), matrix(rows * cols), expected(rows * cols);
  for (int r = 0; r < rows; ++r)
    factors[r] = r % 7 - 3;
  for (int i = 0; i < rows * cols; ++i) {
    matrix[i] = i % 83;
    expected[i] = matrix[i] * factors[i / cols];
  }
  try {
    DeviceArray<int> d_factors(factors), d_matrix(matrix), d_next(std::vector<int>{0});
    scale_rows<<<3, 32 * kWarps>>>(d_factors.data, d_matrix.data, rows, cols, d_next.data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    if (d_matrix.to_host() != expected) {
      std::printf("the product is wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
