#include "suite_common.h"
__device__ double total;
__global__ void trace(const float *m, int n) { int i = threadIdx.x; if (i < n) atomicAdd(&total, (double)square(m[i * n + i])); }
extern "C" double trace_of(const float *device, int n) {
  double result = 0; float *scratch;
  checkCudaErrors(cudaMemcpyToSymbol(total, &result, sizeof result));
  checkCudaErrors(cudaMalloc(&scratch, 64));
  fill<float><<<1, 16>>>(scratch, 16, 1.f); negate<<<1, 16>>>(scratch, 16);
  trace<<<1, n>>>(device, n);
  checkCudaErrors(cudaMemcpyFromSymbol(&result, total, sizeof result));
  checkCudaErrors(cudaFree(scratch));
  return result;
}
