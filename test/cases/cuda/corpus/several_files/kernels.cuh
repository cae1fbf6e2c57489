// What the files of this program share. Compile with -rdc=true: main.cu calls device functions and uses device
// variables of kernels.cu.
#pragma once

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call) checkCuda((call), #call, __FILE__, __LINE__)
inline void checkCuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
  std::exit(EXIT_FAILURE);
}

namespace signal {

struct Filter {
  float taps[5];
  int length;
};

// of kernels.cu
extern __constant__ Filter filter;
extern __device__ int samplesFiltered;
extern __device__ float gains[4];
__device__ float filterAt(const float* in, int n, int i);
template <typename T> __global__ void scale(T* data, int n, T factor);
__global__ void smooth(const float* in, float* out, int n);
void setFilter(const Filter& f);
void launchSmooth(const float* in, float* out, int n, cudaStream_t stream = nullptr);

// in every file its own
template <typename T>
__device__ __forceinline__ T clampIndex(T i, T n) { return i < 0 ? T(0) : i >= n ? n - 1 : i; }
static __device__ int perFile = 1;

}  // namespace signal
