// Half of the block loads the rows of a matrix, the other half loads a vector.
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

constexpr int kSize = 64;

__global__ void diagonal_times_vector(const int* matrix, const int* vector, int* out) {
  __shared__ int diagonal[kSize], x[kSize];
  const int t = threadIdx.x;
  if (t < kSize) {
    diagonal[t] = matrix[t * kSize + t];
  } else {
    x[t - kSize] = vector[t - kSize];
  }
  __syncthreads();
  if (t < kSize) out[t] = diagonal[t] * x[t];
}

int main() {
  std::vector<int> matrix(kSize * kSize), vector(kSize);
  for (int i = 0; i < kSize * kSize; ++i)
    matrix[i] = i % 37;
  for (int i = 0; i < kSize; ++i)
    vector[i] = 10 - i;
  try {
    DeviceArray<int> d_matrix(matrix), d_vector(vector), d_out(std::vector<int>(kSize, 0));
    diagonal_times_vector<<<1, 2 * kSize>>>(d_matrix.data, d_vector.data, d_out.data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<int> out = d_out.to_host();
    for (int i = 0; i < kSize; ++i) {
      if (out[i] != matrix[i * kSize + i] * vector[i]) {
        std::printf("element %d is %d\n", i, out[i]);
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
