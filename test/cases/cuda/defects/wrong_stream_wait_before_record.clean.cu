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

__global__ void prefix_of_ones(int* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = i + 1;
}

int main() {
  const int n = 640;
  int *pinned, *d_out;
  cudaStream_t compute, download;
  cudaEvent_t ready;
  CUDA_CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&download, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreate(&ready));
  CUDA_CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  for (int i = 0; i < n; ++i)
    pinned[i] = -1;
  CUDA_CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
  CUDA_CHECK(cudaDeviceSynchronize());

  prefix_of_ones<<<1, 128, 0, compute>>>(d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(ready, compute));
  CUDA_CHECK(cudaStreamWaitEvent(download, ready, 0));
  const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
  const size_t bytes = n * sizeof(int);
  CUDA_CHECK(cudaMemcpyAsync(pinned, d_out, bytes, kind, download));
  CUDA_CHECK(cudaStreamSynchronize(download));
  CUDA_CHECK(cudaStreamSynchronize(compute));

  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += pinned[i] != i + 1;
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaFree(d_out));
  CUDA_CHECK(cudaEventDestroy(ready));
  CUDA_CHECK(cudaStreamDestroy(compute));
  CUDA_CHECK(cudaStreamDestroy(download));
  if (wrong) {
    std::printf("%d values are wrong\n", wrong);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
