#include "kernels.cuh"

namespace signal {

__constant__ Filter filter;
__device__ int samplesFiltered = 0;
__device__ float gains[4] = {1.0f, 0.5f, 2.0f, -1.0f};

__device__ float filterAt(const float* in, int n, int i) {
  float sum = 0.0f;
  for (int k = 0; k < filter.length; ++k) sum += filter.taps[k] * in[clampIndex(i + k - filter.length / 2, n)];
  return sum;
}

__global__ void smooth(const float* in, float* out, int n) {
  __shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = filterAt(in, n, i);
    atomicAdd(&done, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&samplesFiltered, done);
    atomicAdd(&perFile, 1);  // this file's, which main.cu does not see
  }
}

template <typename T>
__global__ void scale(T* data, int n, T factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
template __global__ void scale<float>(float*, int, float);
template __global__ void scale<int>(int*, int, int);

void setFilter(const Filter& f) { CUDA_CHECK(cudaMemcpyToSymbol(filter, &f, sizeof f)); }

void launchSmooth(const float* in, float* out, int n, cudaStream_t stream) {
  smooth<<<5, 64, 0, stream>>>(in, out, n);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace signal
