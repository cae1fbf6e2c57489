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

// The second difference along y of each plane. The field wraps around in y.
__global__ void second_difference(const float* in, float* out, int width, int height, int depth) {
  __shared__ float tile[TILE_H + 2][TILE_W];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * TILE_W + tx, y = blockIdx.y * TILE_H + ty;
  const int above = (y + height - 1) % height, below = (y + 1) % height;

  for (int z = 0; z < depth; z++) {
    const float* plane = in + z * width * height;
    tile[ty + 1][tx] = plane[y * width + x];
    if (ty == 0) tile[0][tx] = plane[above * width + x];
    if (ty == TILE_H - 1) tile[TILE_H + 1][tx] = plane[below * width + x];
    __syncthreads();
    const float around = tile[ty][tx] + tile[ty + 2][tx];
    out[(z * height + y) * width + x] = around - 2.0f * tile[ty + 1][tx];
    __syncthreads();
  }
}

int main() {
  const int width = 64, height = 40, depth = 3;
  std::vector<float> field(width * height * depth);
  for (size_t i = 0; i < field.size(); ++i)
    field[i] = static_cast<float>(i * i % 127);
  int wrong = 0;
  try {
    DeviceArray<float> in(field), out(field.size());
    second_difference<<<dim3(width / TILE_W, height / TILE_H), dim3(TILE_W, TILE_H)>>>(
        in.data, out.data, width, height, depth);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<float> result = out.to_host();
    for (int z = 0; z < depth; ++z) {
      const float* plane = &field[z * width * height];
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          float above = plane[(y + height - 1) % height * width + x];
          float below = plane[(y + 1) % height * width + x];
          float expected = above + below - 2.0f * plane[y * width + x];
          wrong += result[(z * height + y) * width + x] != expected;
        }
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
