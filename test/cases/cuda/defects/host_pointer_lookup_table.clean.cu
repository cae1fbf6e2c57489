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

__global__ void apply_table(const unsigned char* in, const int* table, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int entry = in[i];
    out[i] = table[entry];
  }
}

int main() {
  const int n = 900;
  std::vector<unsigned char> image(n);
  std::vector<int> gamma(256);
  for (int i = 0; i < n; ++i)
    image[i] = static_cast<unsigned char>(i * 11);
  for (int v = 0; v < 256; ++v)
    gamma[v] = v * v / 255;
  try {
    DeviceArray<unsigned char> d_image(image);
    DeviceArray<int> d_gamma(gamma), d_out(n);
    apply_table<<<8, 128>>>(d_image.data, d_gamma.data, d_out.data, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<int> out = d_out.to_host();
    for (int i = 0; i < n; ++i) {
      if (out[i] != gamma[image[i]]) {
        std::printf("pixel %d is %d, expected %d\n", i, out[i], gamma[image[i]]);
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
