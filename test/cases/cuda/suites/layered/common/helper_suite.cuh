#pragma once
template <typename T>
void check_(T result, char const *const func, const char *const file, int const line) {
  if (result) {
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<unsigned int>(result), cudaGetErrorName(result), func);
    exit(EXIT_FAILURE);
  }
}
#define checkCudaErrors(val) check_((val), #val, __FILE__, __LINE__)
#define getLastCudaError(msg) __getLastCudaError(msg, __FILE__, __LINE__)
inline void __getLastCudaError(const char *errorMessage, const char *file, const int line) {
  cudaError_t err = cudaGetLastError();
  if (cudaSuccess != err) { fprintf(stderr, "%s(%i) : %s : (%d) %s.\n", file, line, errorMessage, static_cast<int>(err), cudaGetErrorString(err)); exit(EXIT_FAILURE); }
}
/* Two sources include this header: its kernel is a template, its function inline. */
template <typename T> __global__ void fill(T *p, int n, T value) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = value; }
static __global__ void negate(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = -p[i]; }
static __device__ __forceinline__ float square(float v) { return v * v; }
