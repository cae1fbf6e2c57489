#include <cuda_runtime.h>

#include <algorithm>
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

struct Box {
  int left, top, width, height;
};

// Draws the number of each box into a picture: one block a box. Box 1 is the first.
__global__ void draw_boxes(const Box* boxes, int* picture, int picture_width) {
  const Box box = boxes[blockIdx.x];
  const int number = blockIdx.x + 1;
  for (int p = threadIdx.x; p < box.width * box.height; p += blockDim.x) {
    const int x = box.left + p % box.width, y = box.top + p / box.width;
    atomicMax(&picture[y * picture_width + x], number);
  }
}

int main() {
  const int width = 48, height = 32, boxes = 20;
  std::vector<Box> box(boxes);
  std::vector<int> expected(width * height, 0);
  for (int b = 0; b < boxes; ++b) {
    box[b] = {b * 5 % 30, b * 7 % 20, 12, 9};
    for (int y = box[b].top; y < box[b].top + 9; ++y)
      for (int x = box[b].left; x < box[b].left + 12; ++x)
        expected[y * width + x] = b + 1;
  }
  try {
    DeviceArray<Box> d_boxes(box);
    DeviceArray<int> d_picture(std::vector<int>(width * height, 0));
    draw_boxes<<<boxes, 32>>>(d_boxes.data, d_picture.data, width);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    if (d_picture.to_host() != expected) {
      std::printf("the picture is wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
