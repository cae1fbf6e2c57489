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

constexpr int kDigits = 8;

// The first pass of a radix sort: each thread counts the digits of its own part.
__global__ void count_digits(const unsigned* keys, int* counts, int part, int shift, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  int mine[kDigits] = {};
  for (int k = 0; k < part; ++k) {
    const unsigned digit = keys[t * part + k] >> shift & (kDigits - 1);
    mine[digit] += 1;
  }
  for (int d = 0; d < kDigits; ++d)
    counts[d * threads + t] = mine[d];
}

int main() {
  const int threads = 80, part = 24, shift = 3;
  std::vector<unsigned> keys(threads * part);
  std::vector<int> expected(kDigits * threads, 0);
  for (int i = 0; i < threads * part; ++i) {
    keys[i] = (i * 5 % 8) << shift | (i % 7);
    ++expected[(keys[i] >> shift & 7) * threads + i / part];
  }
  try {
    DeviceArray<unsigned> d_keys(keys);
    DeviceArray<int> d_counts(kDigits * threads);
    count_digits<<<3, 32>>>(d_keys.data, d_counts.data, part, shift, threads);
    CHECK(cudaGetLastError());
    if (d_counts.to_host() != expected) {
      std::printf("the counts are wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
