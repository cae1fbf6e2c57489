#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void triangle_numbers(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i * (i + 1) / 2;
}

int main() {
  const int n = 900;
  const size_t bytes = n * sizeof(int);
  int *pinned, *d_out;
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaMallocHost(&pinned, bytes));
  CUDA_CHECK(cudaMalloc(&d_out, bytes));
  for (int i = 0; i < n; ++i)
    pinned[i] = 0;

  triangle_numbers<<<(n + 127) / 128, 128, 0, stream>>>(d_out, n);
  CUDA_CHECK(cudaGetLastError());
  const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
  CUDA_CHECK(cudaMemcpyAsync(pinned, d_out, bytes, kind, stream));  // and: wrong-stream

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int got = pinned[i];  // finds: wrong-stream
    wrong += got != i * (i + 1) / 2;
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaFree(d_out));
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaStreamDestroy(stream));
  if (wrong) {
    std::printf("%d numbers are wrong\n", wrong);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
