// The sum of each row, four floats at a time.
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

__global__ void row_sums(const float* in, float* sums, int cols, int pitch) {
  const float* row = in + blockIdx.x * pitch;
  float sum = 0.0f;
  for (int v = threadIdx.x; v < cols / 4; v += 32) {
    const float4 q = reinterpret_cast<const float4*>(row)[v];  // finds: misaligned
    sum += q.x + q.y + q.z + q.w;
  }
  for (int c = cols / 4 * 4 + threadIdx.x; c < cols; c += 32)
    sum += row[c];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main() {
  const int rows = 12, cols = 1021;
  const int pitch = cols;
  std::vector<float> table(rows * pitch, 0.0f);
  std::vector<double> expected(rows, 0.0);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      table[r * pitch + c] = static_cast<float>((r * 31 + c) % 11);
      expected[r] += table[r * pitch + c];
    }
  }
  try {
    DeviceArray<float> in(table), sums(rows);
    row_sums<<<rows, 32>>>(in.data, sums.data, cols, pitch);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<float> result = sums.to_host();
    for (int r = 0; r < rows; ++r) {
      if (!(std::fabs(result[r] - expected[r]) < 0.5)) {
        std::printf("row %d: %g, expected %g\n", r, result[r], expected[r]);
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
