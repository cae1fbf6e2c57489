// Each thread finds the k largest values of one row.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
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

constexpr int kMost = 8;

__global__ void top_k(const int* in, int* out, int rows, int cols, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int best[kMost];
  for (int j = 0; j < k; ++j)
    best[j] = -1;
  for (int c = 0; c < cols; ++c) {
    int value = in[row * cols + c];
    if (value <= best[k - 1]) continue;
    int place = k;
    while (place > 0 && best[place - 1] < value) {
      best[place] = best[place - 1];  // finds: out-of-bounds
      --place;
    }
    best[place] = value;
  }
  for (int j = 0; j < k; ++j)
    out[row * k + j] = best[j];
}

int main() {
  const int rows = 100, cols = 64, k = kMost;
  std::vector<int> table(rows * cols);
  for (int i = 0; i < rows * cols; ++i)
    table[i] = static_cast<int>(i * 2654435761u >> 12);
  try {
    DeviceArray<int> in(table), out(rows * k);
    top_k<<<4, 32>>>(in.data, out.data, rows, cols, k);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<int> result = out.to_host();
    for (int row = 0; row < rows; ++row) {
      auto begin = table.begin() + row * cols;
      std::sort(begin, begin + cols, std::greater<int>());
      if (!std::equal(begin, begin + k, result.begin() + row * k)) {
        std::printf("row %d differs\n", row);
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
