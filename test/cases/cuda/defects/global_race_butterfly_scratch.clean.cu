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

// The first stage of a Walsh-Hadamard transform: sums in the lower half, differences in the upper.
__global__ void first_stage(const int* in, int* scratch, int* out) {
  const int base = blockIdx.x * blockDim.x;
  const int t = threadIdx.x, half = blockDim.x / 2;
  const int value = in[base + t] * 2;
  scratch[base + t] = value;
  __syncthreads();
  const int partner = scratch[base + (t ^ half)];
  out[base + t] = t < half ? value + partner : partner - value;
}

int main() {
  const int block = 256, blocks = 5, n = block * blocks;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * i % 51;
  int *d_in, *d_scratch, *d_out;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_scratch, n * sizeof(int)));
  CUDA_CHECK(cudaMemset(d_scratch, 0, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  first_stage<<<blocks, block>>>(d_in, d_scratch, d_out);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_scratch));
  CUDA_CHECK(cudaFree(d_out));
  for (int i = 0; i < n; ++i) {
    int lower = 2 * in[i & ~128], upper = 2 * in[i | 128];
    int expected = i & 128 ? lower - upper : lower + upper;
    if (out[i] != expected) {
      std::printf("value %d is %d, expected %d\n", i, out[i], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
