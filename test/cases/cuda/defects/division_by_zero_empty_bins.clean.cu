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

// Each thread spreads a total over the bins of its row.
__global__ void split_totals(const int* totals, const int* bins, int* shares, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  shares[row] = bins[row] > 0 ? totals[row] / bins[row] : 0;
}

int main() {
  const int rows = 70;
  std::vector<int> totals(rows), bins(rows), expected(rows, 0);
  for (int row = 0; row < rows; ++row) {
    totals[row] = 7 * row;
    bins[row] = row % 5;
    if (bins[row] > 0) expected[row] = totals[row] / bins[row];
  }
  try {
    DeviceArray<int> d_totals(totals), d_bins(bins), d_shares(rows);
    split_totals<<<3, 32>>>(d_totals.data, d_bins.data, d_shares.data, rows);
    CHECK(cudaGetLastError());
    if (d_shares.to_host() != expected) {
      std::printf("the shares are wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
