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

__global__ void gelu_like(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0.125f * x[i];
}

__global__ void scale(const float* y, float* z, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = factor * y[i];
}

int main() {
  const int n = 1100, blocks = (n + 255) / 256;
  const size_t bytes = n * sizeof(float);
  std::vector<float> x(n), z(n);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i - 500);

  float *d_x, *d_y, *d_z;
  cudaStream_t first, second;
  cudaEvent_t made;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMalloc(&d_z, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_y, 0, bytes));
  CUDA_CHECK(cudaDeviceSynchronize());

  gelu_like<<<blocks, 256, 0, first>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(made, first));
  CUDA_CHECK(cudaStreamWaitEvent(second, made, 0));
  scale<<<blocks, 256, 0, second>>>(d_y, d_z, 2.0f, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(first));
  CUDA_CHECK(cudaStreamSynchronize(second));

  CUDA_CHECK(cudaMemcpy(z.data(), d_z, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
  CUDA_CHECK(cudaFree(d_z));
  CUDA_CHECK(cudaEventDestroy(made));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
  for (int i = 0; i < n; ++i) {
    float expected = 2.0f * (x[i] > 0 ? x[i] : 0.125f * x[i]);
    if (z[i] != expected) {
      std::printf("element %d is %g, expected %g\n", i, z[i], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
