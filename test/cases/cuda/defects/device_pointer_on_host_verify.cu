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

__global__ void exclusive_scan_block(const int* in, int* out, int n) {
  extern __shared__ int sums[];
  int t = threadIdx.x;
  sums[t] = t > 0 && t - 1 < n ? in[t - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    int left = t >= offset ? sums[t - offset] : 0;
    __syncthreads();
    sums[t] += left;
    __syncthreads();
  }
  if (t < n) out[t] = sums[t];
}

int main() {
  const int n = 200, block = 256;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i % 9;

  int *d_in, *d_out;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  exclusive_scan_block<<<1, block, block * sizeof(int)>>>(d_in, d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));

  int wrong = 0, sum = 0;
  for (int i = 0; i < n; ++i) {
    int got = d_out[i];  // finds: device-pointer-on-host
    wrong += got != sum;
    sum += in[i];
  }
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
  std::printf(wrong ? "%d wrong\n" : "ok\n", wrong);
  return wrong != 0;
}
