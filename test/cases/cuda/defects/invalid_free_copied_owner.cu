#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

struct Image {
  Image(int width_, int height_) : width(width_), height(height_) {
    CHECK(cudaMalloc(&pixels, bytes()));
    CHECK(cudaMemset(pixels, 0, bytes()));
  }
  ~Image() {
    CHECK(cudaFree(pixels));  // finds: invalid-free
  }
  size_t bytes() const { return sizeof(unsigned char) * width * height; }

  unsigned char* pixels = nullptr;
  int width, height;
};

__global__ void draw_checkers(unsigned char* pixels, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) pixels[y * width + x] = (x / 8 + y / 8) % 2 ? 255 : 0;
}

bool render() {
  Image image(90, 50);
  dim3 block(32, 4);
  dim3 grid((image.width + 31) / 32, (image.height + 3) / 4);
  Image target = image;
  draw_checkers<<<grid, block>>>(target.pixels, target.width, target.height);
  CHECK(cudaGetLastError());

  std::vector<unsigned char> host(image.bytes());
  CHECK(cudaMemcpy(host.data(), image.pixels, image.bytes(), cudaMemcpyDeviceToHost));
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (host[y * image.width + x] != ((x / 8 + y / 8) % 2 ? 255 : 0)) return false;
  return true;
}

int main() {
  bool right = render();
  if (!right || failed) {
    std::printf("wrong picture\n");
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
