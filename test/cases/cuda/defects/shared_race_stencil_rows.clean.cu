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

#define TILE_W 32
#define TILE_H 8

// The second difference along y. The field wraps around in y.
__global__ void second_difference(const float* in, float* out, int width, int height) {
  __shared__ float tile[TILE_H + 2][TILE_W];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * TILE_W + tx, y = blockIdx.y * TILE_H + ty;

  tile[ty + 1][tx] = in[y * width + x];
  if (ty == 0) tile[0][tx] = in[(y + height - 1) % height * width + x];
  if (ty == TILE_H - 1) tile[TILE_H + 1][tx] = in[(y + 1) % height * width + x];
  __syncthreads();
  const float around = tile[ty][tx] + tile[ty + 2][tx];
  out[y * width + x] = around - 2.0f * tile[ty + 1][tx];
}

int main() {
  const int width = 64, height = 40;
  std::vector<float> field(width * height);
  for (int i = 0; i < width * height; ++i)
    field[i] = static_cast<float>(i * i % 127);
  int wrong = 0;
  try {
    DeviceArray<float> in(field), out(field.size());
    second_difference<<<dim3(width / TILE_W, height / TILE_H), dim3(TILE_W, TILE_H)>>>(
        in.data, out.data, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<float> result = out.to_host();
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        float above = field[(y + height - 1) % height * width + x];
        float below = field[(y + 1) % height * width + x];
        wrong += result[y * width + x] != above + below - 2.0f * field[y * width + x];
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  if (wrong) {
    std::printf("%d values are wrong\n", wrong);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
