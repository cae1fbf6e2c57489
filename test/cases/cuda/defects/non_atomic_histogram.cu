#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void histogram(const unsigned char* pixels, int n, unsigned int* bins) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    bins[pixels[i]] += 1;  // finds: non-atomic-accumulation
  }
}

int main() {
  const int n = 6000;
  std::vector<unsigned char> pixels(n);
  std::vector<unsigned int> bins(256), expected(256, 0);
  for (int i = 0; i < n; ++i) {
    pixels[i] = static_cast<unsigned char>(i * i / 3);
    ++expected[pixels[i]];
  }
  unsigned char* d_pixels;
  unsigned int* d_bins;
  CUDA_CHECK(cudaMalloc(&d_pixels, n));
  CUDA_CHECK(cudaMalloc(&d_bins, 256 * sizeof(unsigned int)));
  CUDA_CHECK(cudaMemcpy(d_pixels, pixels.data(), n, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_bins, 0, 256 * sizeof(unsigned int)));
  histogram<<<10, 96>>>(d_pixels, n, d_bins);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_pixels));
  CUDA_CHECK(cudaFree(d_bins));
  if (bins != expected) {
    std::printf("the histogram is wrong\n");
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
