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

constexpr int kBlock = 512;

__device__ int warp_inclusive_scan(int value) {
  const int lane = threadIdx.x % 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int left = __shfl_up_sync(0xffffffff, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

__global__ void inclusive_scan(const int* in, int* out) {
  __shared__ int totals[32];
  if (threadIdx.x < 32) totals[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int warp = threadIdx.x / 32;
  int value = warp_inclusive_scan(in[i]);
  if (threadIdx.x % 32 == 31) totals[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w)
    value += totals[w];
  out[i] = value;
}

int main() {
  const int blocks = 3, n = blocks * kBlock;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * 5 % 19;
  try {
    DeviceArray<int> d_in(in), d_out(n);
    inclusive_scan<<<blocks, kBlock>>>(d_in.data, d_out.data);
    CHECK(cudaGetLastError());
    const std::vector<int> out = d_out.to_host();
    for (int b = 0; b < blocks; ++b) {
      int sum = 0;
      for (int i = b * kBlock; i < (b + 1) * kBlock; ++i) {
        sum += in[i];
        if (out[i] != sum) {
          std::printf("prefix %d is %d, expected %d\n", i, out[i], sum);
          return 1;
        }
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
