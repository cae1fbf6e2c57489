// Softmax of each row: one block a row, one value a thread.
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

constexpr int kCols = 128;
constexpr int kWarps = kCols / 32;

__global__ void softmax(const float* in, float* out) {
  __shared__ float of_warp[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float x = in[blockIdx.x * kCols + threadIdx.x];

  float largest = x;
  for (int mask = 16; mask > 0; mask /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
  if (lane == 0) of_warp[warp] = largest;
  __syncthreads();
  for (int w = 0; w < kWarps; ++w) {
    largest = fmaxf(largest, of_warp[w]);  // and: shared-race
  }

  const float power = expf(x - largest);
  float sum = power;
  for (int mask = 16; mask > 0; mask /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, mask);
  __syncwarp();
  if (lane == 0) {
    of_warp[warp] = sum;  // finds: shared-race
  }
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < kWarps; ++w)
    total += of_warp[w];
  out[blockIdx.x * kCols + threadIdx.x] = power / total;
}

int main() {
  const int rows = 10;
  std::vector<float> x(rows * kCols);
  for (int i = 0; i < rows * kCols; ++i)
    x[i] = 0.1f * (i * 37 % 101) - 5.0f;
  try {
    DeviceArray<float> in(x), out(x.size());
    softmax<<<rows, kCols>>>(in.data, out.data);
    CHECK(cudaGetLastError());
    const std::vector<float> y = out.to_host();
    for (int r = 0; r < rows; ++r) {
      double total = 0;
      for (int c = 0; c < kCols; ++c)
        total += std::exp(static_cast<double>(x[r * kCols + c]));
      for (int c = 0; c < kCols; ++c) {
        const double expected = std::exp(static_cast<double>(x[r * kCols + c])) / total;
        if (!(std::fabs(y[r * kCols + c] - expected) < 1e-6)) {
          std::printf("(%d, %d) is %g, expected %g\n", r, c, y[r * kCols + c], expected);
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
