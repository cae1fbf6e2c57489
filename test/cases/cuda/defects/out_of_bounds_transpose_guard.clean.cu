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

__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int rows,
                          int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) {
    float value = in[y * cols + x];
    out[x * rows + y] = value;
  }
}

int run() {
  const int rows = 33, cols = 32;
  std::vector<float> matrix(rows * cols);
  for (size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = static_cast<float>(i);

  DeviceArray<float> in(matrix), out(matrix.size());
  dim3 block(16, 16);
  dim3 grid(3, 3);
  transpose<<<grid, block>>>(in.data, out.data, rows, cols);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<float> result = out.to_host();
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < cols; ++x) {
      if (result[x * rows + y] != matrix[y * cols + x]) {
        std::printf("(%d, %d) differs\n", y, x);
        return 1;
      }
    }
  }
  std::printf("ok\n");
  return 0;
}

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
