// The habits of newer suites: words of their own for everything, a stream operator, dispatch by template parameters, kernels with many forms.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>
#define DEVICE __device__ __forceinline__
#define GLOBAL __global__ void
#define HOST_DEVICE __host__ __device__ inline
#define SHARED(T, name, n) __shared__ T name[n]
#define LOCAL_LINEAR_ID (threadIdx.y * blockDim.x + threadIdx.x)
#define GRID_STRIDE_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_CHECK(x) do { if ((x) != cudaSuccess) { std::cerr << "CUDA: " << #x << " " << __LINE__ << std::endl; std::abort(); } } while (false)
#define RUN(kernel, blocks, threads, shared, ...) (kernel)<<<(blocks), (threads), (shared)>>>(__VA_ARGS__); CUDA_CHECK(cudaGetLastError())
#define CASE(n) case n: sumRows<n><<<rows, n>>>(in, out, cols); break;
#define KERNEL_NAME(op) op##_kernel
#define DEFINE_KERNEL(op, expr) __global__ void KERNEL_NAME(op)(float *p, int n) { GRID_STRIDE_LOOP(i, n) { float x = p[i]; p[i] = (expr); } }
DEFINE_KERNEL(twice, 2 * x)
DEFINE_KERNEL(plus, x + 1)
HOST_DEVICE float expected(float x) {
#if defined(__CUDA_ARCH__)
  return -1.f + 0 * x;
#else
  return 2 * x + 1;
#endif
}
GLOBAL ask(float *p) { p[0] = expected(3.f); }
template <int THREADS> __launch_bounds__(THREADS) GLOBAL sumRows(const float *in, float *out, int cols) {
  SHARED(float, part, THREADS);
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += THREADS) s += in[blockIdx.x * cols + c];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int half = THREADS >> 1; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
template <typename T> struct Inc { DEVICE T operator()(T v) const { return v + T(1); } };
template <typename U, template <typename> class O> GLOBAL stage(U *p, int n) { O<U> o; GRID_STRIDE_LOOP(i, n) p[i] = o(p[i]); }
template <typename T, template <typename> class Op, bool last = false> struct Stage {
  static void launch(T *p, int n) { stage<T, Op><<<2, 16>>>(p, n); }
};
void dispatch(int threads, const float *in, float *out, int rows, int cols) {
  switch (threads) { CASE(32) CASE(64) CASE(128) default: assert(!"threads"); }
}
std::ostream &operator<<(std::ostream &o, const dim3 &d) { return o << d.x << 'x' << d.y << 'x' << d.z; }
int main(int argc, const char **argv) {
  const int rows = 6, cols = 100; int bad = 0;
  std::vector<float> h(rows * cols); for (int i = 0; i < rows * cols; i++) h[i] = i % 13;
  float *p, *out, got[rows]; CUDA_CHECK(cudaMalloc(&p, h.size() * sizeof(float))); CUDA_CHECK(cudaMalloc(&out, rows * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(p, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
  RUN(KERNEL_NAME(twice), 3, 64, 0, p, rows * cols); RUN(plus_kernel, 3, 64, 0, p, rows * cols);
  Stage<float, Inc>::launch(p, rows * cols);
  std::map<std::string, void (*)(float *, int)> all{{"twice", twice_kernel}, {"plus", plus_kernel}};
  for (const auto &[name, kernel] : all) kernel<<<1, 32>>>(p, 0);
  all["plus"]<<<1, 32>>>(p, 0);
  for (int threads = 32; threads <= 128; threads <<= 1) {
    CUDA_CHECK(cudaMemset(out, 0, sizeof got)); dispatch(threads, p, out, rows, cols);
    CUDA_CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; r++) { float want = 0; for (int c = 0; c < cols; c++) want += expected(h[r * cols + c]) + 1; if (got[r] != want && !bad++) std::cout << dim3(threads) << " row " << r << ": expected " << want << ", got " << got[r] << "\n"; }
  }
  ask<<<1, 1>>>(p); CUDA_CHECK(cudaMemcpy(got, p, sizeof(float), cudaMemcpyDeviceToHost));
  if (got[0] != -1.f) bad++, printf("side of the device: %f\n", got[0]);
  if (1 << 3 >> 1 != 4 || std::string("a<<<b>>>c").size() != 9) bad++;
  cudaFree(p); cudaFree(out);
  if (bad) return 1;
  std::cout << "macro_launchers: ok\n";
}
