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

__global__ void mandelbrot(int* steps, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.0f + 3.0f * px / width, cy = -1.0f + 2.0f * py / height;
  float x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++k;
  }
  steps[py * width + px] = k;
}

int main() {
  const int width = 60, height = 40, limit = 50;
  std::vector<int> steps(width * height);
  int* d_steps = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMalloc(&d_steps, steps.size() * sizeof(int)));
  CHECK(cudaEventRecord(start));
  mandelbrot<<<dim3(4, 5), dim3(16, 8)>>>(d_steps, width, height, limit);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  float ms = 0.0f;
  if (cudaEventElapsedTime(&ms, start, stop) == cudaSuccess) {
    std::fprintf(stderr, "%g ms\n", ms);
  } else {
    std::fprintf(stderr, "no time\n");
  }

  CHECK(cudaMemcpy(steps.data(), d_steps, steps.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_steps));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  // The point -2 + 0i never leaves, the corner -2 - 1i leaves after one step.
  if (failed || steps[height / 2 * width] != limit || steps[0] != 1) {
    std::printf("wrong picture\n");
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
