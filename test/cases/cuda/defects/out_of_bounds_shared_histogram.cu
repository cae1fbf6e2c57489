// A histogram of probabilities, first in shared memory, then in global memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
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

#define BINS 64

__global__ void histogram(const float* p, int n, unsigned* bins) {
  __shared__ unsigned local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    local[b] = 0;
  __syncthreads();

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = (int)(p[i] * BINS);
    atomicAdd(&local[bin], 1u);  // finds: out-of-bounds
  }
  __syncthreads();

  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    atomicAdd(&bins[b], local[b]);
}

int main() {
  const int n = 4096;
  std::vector<float> p(n);
  std::vector<unsigned> expected(BINS);
  for (int i = 0; i < n; i++) {
    p[i] = (float)(i * 193 % 1025) / 1024.0f;
    int bin = (int)(p[i] * BINS);
    expected[bin < BINS ? bin : BINS - 1]++;
  }
  try {
    DeviceArray<float> d_p(p);
    DeviceArray<unsigned> d_bins(std::vector<unsigned>(BINS, 0));
    histogram<<<8, 128>>>(d_p.data, n, d_bins.data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    if (d_bins.to_host() != expected) {
      printf("histogram differs\n");
      return 1;
    }
  } catch (const std::exception& e) {
    fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  printf("ok\n");
  return 0;
}
