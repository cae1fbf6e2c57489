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

constexpr unsigned kBlock = 256;

// Each block adds 2 * kBlock values; the host adds the partial sums.
__global__ void partial_sums(const float* in, float* partial, unsigned n) {
  __shared__ float shared[kBlock];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * (2 * kBlock) + t;
  float sum = i < n ? in[i] : 0.0f;
  if (i + kBlock < n) sum += in[i + kBlock];
  shared[t] = sum;
  __syncthreads();
  for (unsigned stride = kBlock / 2; stride > 0; stride /= 2) {
    if (t < stride) shared[t] += shared[t + stride];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = shared[0];
}

int main() {
  const unsigned n = 5100;
  std::vector<float> values(n);
  for (unsigned i = 0; i < n; ++i)
    values[i] = static_cast<float>(i % 17) - 8.0f;
  double expected = 0;
  for (float value : values)
    expected += value;

  try {
    const unsigned blocks = (n + 2 * kBlock - 1) / (2 * kBlock);
    DeviceArray<float> in(values);
    DeviceArray<float> partial(blocks);
    partial_sums<<<blocks, kBlock>>>(in.data, partial.data, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    double sum = 0;
    for (float value : partial.to_host())
      sum += value;
    if (!(std::fabs(sum - expected) < 1e-3)) {
      std::printf("sum is %g, expected %g\n", sum, expected);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
