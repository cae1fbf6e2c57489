#include <cuda_fp16.h>
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

// Two threads write the two halves of one complex number.
__global__ void interleave(const float* real, const float* imaginary, __half* z, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= 2 * n) return;
  if (t % 2 == 0) z[t] = __float2half(real[t / 2]);
}

__global__ void squared_norm(const __half* z, float* norm, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half re = z[2 * i];
  const __half im = z[2 * i + 1];  // finds: uninitialized-read
  norm[i] = __half2float(re) * __half2float(re) + __half2float(im) * __half2float(im);
}

int main() {
  const int n = 250;
  std::vector<float> real(n), imaginary(n);
  for (int i = 0; i < n; ++i) {
    real[i] = static_cast<float>(i % 16);
    imaginary[i] = static_cast<float>(8 - i % 9);
  }
  try {
    DeviceArray<float> d_real(real), d_imaginary(imaginary), d_norm(n);
    DeviceArray<__half> d_z(2 * n);
    interleave<<<4, 128>>>(d_real.data, d_imaginary.data, d_z.data, n);
    CHECK(cudaGetLastError());
    squared_norm<<<2, 128>>>(d_z.data, d_norm.data, n);
    CHECK(cudaGetLastError());
    const std::vector<float> norm = d_norm.to_host();
    for (int i = 0; i < n; ++i) {
      const float expected = real[i] * real[i] + imaginary[i] * imaginary[i];
      if (norm[i] != expected) {
        std::printf("norm %d is %g, expected %g\n", i, norm[i], expected);
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
