#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

__global__ void to_gray(const float* rgb, float* gray, int pixels, const float* weights) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pixels) return;
  float sum = 0.0f;
  for (int c = 0; c < 3; ++c) {
    float weight = weights[c];  // finds: host-pointer
    sum += weight * rgb[3 * p + c];
  }
  gray[p] = sum;
}

int main() {
  const int pixels = 640;
  std::vector<float> rgb(3 * pixels), gray(pixels);
  for (size_t i = 0; i < rgb.size(); ++i)
    rgb[i] = static_cast<float>(i % 97) / 97.0f;
  const float weights[3] = {0.299f, 0.587f, 0.114f};

  float *d_rgb = nullptr, *d_gray = nullptr;
  CHECK(cudaMalloc(&d_rgb, rgb.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_gray, gray.size() * sizeof(float)));
  CHECK(cudaMemcpy(d_rgb, rgb.data(), rgb.size() * sizeof(float), cudaMemcpyHostToDevice));
  to_gray<<<(pixels + 127) / 128, 128>>>(d_rgb, d_gray, pixels, weights);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  if (!failed) {
    CHECK(cudaMemcpy(gray.data(), d_gray, gray.size() * sizeof(float), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(d_rgb));
  CHECK(cudaFree(d_gray));
  for (int p = 0; p < pixels && !failed; ++p) {
    float expected = 0.299f * rgb[3 * p] + 0.587f * rgb[3 * p + 1] + 0.114f * rgb[3 * p + 2];
    if (!(std::fabs(gray[p] - expected) < 1e-5f)) {
      std::printf("pixel %d is %g, expected %g\n", p, gray[p], expected);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
