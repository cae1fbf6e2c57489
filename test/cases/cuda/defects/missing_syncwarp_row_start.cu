// Sparse matrix times vector: one warp a row.
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

__global__ void spmv_warp(const int* offsets, const int* cols, const int* values, const int* x,
                          int* y, int rows) {
  __shared__ int2 range[4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.x * 4 + warp;
  if (row >= rows) return;
  if (lane == 0) {
    range[warp] = make_int2(offsets[row], offsets[row + 1]);  // and: missing-syncwarp
  }
  const int2 mine = range[warp];  // finds: missing-syncwarp
  int sum = 0;
  for (int k = mine.x + lane; k < mine.y; k += 32)
    sum += values[k] * x[cols[k]];
  sum = __reduce_add_sync(0xffffffff, sum);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 30;
  std::vector<int> offsets{0}, cols, values, x(100), expected(rows, 0);
  for (int c = 0; c < 100; ++c)
    x[c] = c % 6 - 2;
  for (int row = 0; row < rows; ++row) {
    for (int c = row % 3; c < 100; c += 1 + row % 5) {
      cols.push_back(c);
      values.push_back(row - c);
      expected[row] += (row - c) * x[c];
    }
    offsets.push_back(static_cast<int>(cols.size()));
  }
  try {
    DeviceArray<int> d_offsets(offsets), d_cols(cols), d_values(values), d_x(x), d_y(rows);
    spmv_warp<<<(rows + 3) / 4, 128>>>(d_offsets.data, d_cols.data, d_values.data, d_x.data,
                                       d_y.data, rows);
    CHECK(cudaGetLastError());
    if (d_y.to_host() != expected) {
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
