// A sum of doubles by compare and swap, defined only where the device has none of its own; a float maximum; locks.
#include <stdio.h>
#include <float.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double *address, double val) {
  unsigned long long int *address_as_ull = (unsigned long long int *)address, old = *address_as_ull, assumed;
  do { assumed = old; old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed))); } while (assumed != old);
  return __longlong_as_double(old);
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
#error "this device adds doubles"
#endif
__device__ double addByCas(double *address, double val) {
  unsigned long long *p = (unsigned long long *)address, old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__device__ float atomicMaxFloat(float *addr, float value) {
  return (value >= 0) ? __int_as_float(atomicMax((int *)addr, __float_as_int(value))) : __uint_as_float(atomicMin((unsigned *)addr, __float_as_uint(value)));
}
struct Results { double sum, cas; float best; unsigned bits, odd; int low, cells[8]; unsigned long long total; };
__device__ Results results;
__global__ void __launch_bounds__(256, 2) all(const double *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double v = __ldg(&x[i]);
    atomicAdd(&results.sum, v);
    addByCas(&results.cas, v);
    atomicMaxFloat(&results.best, (float)v);
    atomicOr(&results.bits, 1u << (i & 31));
    atomicXor(&results.odd, (unsigned)i);
    atomicMin(&results.low, (int)v);
    atomicAdd(&results.cells[i & 7], 1);
    atomicAdd(&results.total, (unsigned long long)i);
  }
}
__global__ void sum(const double *x, int n, double *out) {
  __shared__ double partial;
  if (threadIdx.x == 0) partial = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&partial, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) *out = partial;
}
int main() {
  const int n = 1024;
  double x[n], *d, want = 0; float best = -FLT_MAX; int low = 1 << 30; unsigned odd = 0;
  for (int i = 0; i < n; i++) { x[i] = (i * 7919 % 1021) - 500; want += x[i]; best = x[i] > best ? x[i] : best; low = x[i] < low ? x[i] : low; odd ^= i; }
  Results r = {0, 0, -FLT_MAX, 0, 0, 1 << 30, {0}, 0};
  if (cudaMalloc(&d, sizeof x + sizeof(double))) return 1;
  cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(results, &r, sizeof r);
  all<<<4, 64>>>(d, n);
  sum<<<1, 128>>>(d, n, d + n);
  double got; cudaMemcpy(&got, d + n, sizeof got, cudaMemcpyDeviceToHost);
  int bad = 0;
  Results out; cudaMemcpyFromSymbol(&out, results, sizeof out);
  if (out.sum != want || out.cas != want) printf("sums: expected %f, got %f and %f\n", want, out.sum, out.cas), bad = 1;
  if (out.best != best || out.low != low) printf("extremes: expected %f and %d, got %f and %d\n", best, low, out.best, out.low), bad = 1;
  if (out.bits != 0xffffffffu || out.odd != odd || out.total != (unsigned long long)n * (n - 1) / 2) printf("bits: %x %x %llu\n", out.bits, out.odd, out.total), bad = 1;
  for (int i = 0; i < 8; i++) if (out.cells[i] != n / 8) printf("cell %d: expected %d, got %d\n", i, n / 8, out.cells[i]), bad = 1;
  if (got != want) printf("sum: expected %f, got %f\n", want, got), bad = 1;
  cudaFree(d);
  if (bad) return 1;
  printf("double_atomics: ok\n");
  return 0;
}
