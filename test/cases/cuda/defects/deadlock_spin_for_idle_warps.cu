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

constexpr int kWarps = 4;

// One block a row: each warp adds up to 32 values, thread 0 waits for all warps.
__global__ void row_totals(const int* in, int* totals, int cols) {
  __shared__ int total, arrived;
  if (threadIdx.x == 0) total = arrived = 0;
  __syncthreads();
  const int* row = in + blockIdx.x * cols;
  if (threadIdx.x / 32 * 32 >= cols) return;
  int sum = threadIdx.x < cols ? row[threadIdx.x] : 0;
  sum = __reduce_add_sync(0xffffffff, sum);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&total, sum);
    __threadfence_block();
    atomicAdd(&arrived, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(&arrived, 0) < kWarps) {  // finds: deadlock
    }
    __threadfence_block();
    totals[blockIdx.x] = atomicAdd(&total, 0);
  }
}

int main() {
  const int rows = 9, cols = 90;
  std::vector<int> in(rows * cols), expected(rows, 0);
  for (int i = 0; i < rows * cols; ++i)
    expected[i / cols] += in[i] = i % 37;
  try {
    DeviceArray<int> d_in(in), d_totals(rows);
    row_totals<<<rows, 32 * kWarps>>>(d_in.data, d_totals.data, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    if (d_totals.to_host() != expected) {
      std::printf("the totals are wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
