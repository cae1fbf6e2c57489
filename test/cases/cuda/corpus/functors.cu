// Functors as template arguments of kernels: composed at compile time, with state, with variadic packs of arrays, and a
// device function pointer that comes out of a __device__ variable.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <vector>

namespace op {
struct Add { template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; } };
struct Mul { template <class T> __host__ __device__ T operator()(T a, T b) const { return a * b; } };
template <class T> struct Clamp {
  T low, high;
  __host__ __device__ T operator()(T v) const { return v < low ? low : (high < v ? high : v); }
};
struct Negate { template <class T> __host__ __device__ constexpr T operator()(T v) const { return -v; } };

template <class F, class G> struct Compose {
  F f;
  G g;
  template <class... A> __host__ __device__ auto operator()(A... a) const { return f(g(a...)); }
};
template <class F, class G> __host__ __device__ Compose<F, G> compose(F f, G g) { return {f, g}; }
}  // namespace op

template <class Op, class Out, class... In>
__global__ void zip(int n, Op f, Out* out, const In*... in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(in[i]...);
}

struct Fold {
  template <class... T> __host__ __device__ double operator()(T... v) const { return (0.0 + ... + static_cast<double>(v)); }
};

typedef float (*Function)(float);
__device__ float cube(float v) { return v * v * v; }
__device__ float half_of(float v) { return v * 0.5f; }
__device__ Function functions[] = {cube, half_of};

__global__ void apply(Function f, float* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = f(data[i]);
}

#define CUDA(x) { cudaError_t e = (x); if (e != cudaSuccess) { printf("functors.cu:%d %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } }

template <class T> T* copy(const std::vector<T>& v) {
  T* p;
  CUDA(cudaMalloc(&p, v.size() * sizeof(T)));
  CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <class T, class Want> bool holds(const char* what, T* device, int n, Want want) {
  std::vector<T> got(n);
  CUDA(cudaMemcpy(got.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (!(got[i] == static_cast<T>(want(i)))) {
      printf("functors: %s %d: expected %g, got %g\n", what, i, (double)want(i), (double)got[i]);
      return false;
    }
  return true;
}

int main() {
  const int n = 777, blocks = (n + 63) / 64;
  std::vector<float> a(n), b(n);
  std::vector<int> k(n);
  std::vector<short> s(n);
  for (int i = 0; i < n; ++i) a[i] = i % 21 - 10, b[i] = i % 13 * 0.5f, k[i] = i * 1000, s[i] = -i;
  float *da = copy(a), *db = copy(b), *dOut = copy(a);
  int* dk = copy(k);
  short* ds = copy(s);
  double* dd = copy(std::vector<double>(n));
  bool fine = true;

  zip<<<blocks, 64>>>(n, op::Add(), dOut, da, db);
  CUDA(cudaGetLastError());
  fine = fine && holds("add", dOut, n, [&](int i) { return a[i] + b[i]; });

  auto chain = op::compose(op::Clamp<float>{-20.f, 12.f}, op::compose(op::Negate{}, op::Mul{}));
  zip<<<blocks, 64>>>(n, chain, dOut, da, db);
  CUDA(cudaGetLastError());
  fine = fine && holds("chain", dOut, n, [&](int i) { return chain(a[i], b[i]); });

  zip<Fold, double, float, int, short, float><<<blocks, 64>>>(n, Fold{}, dd, da, dk, ds, db);
  CUDA(cudaGetLastError());
  fine = fine && holds("fold", dd, n, [&](int i) { return (double)a[i] + k[i] + s[i] + b[i]; });

  Function host[2];
  CUDA(cudaMemcpyFromSymbol(host, functions, sizeof host));
  apply<<<1, 96>>>(host[0], da, n);
  CUDA(cudaGetLastError());
  fine = fine && holds("cube", da, n, [&](int i) { return a[i] * a[i] * a[i]; });
  apply<<<1, 96>>>(host[1], da, n);
  CUDA(cudaGetLastError());
  fine = fine && holds("half", da, n, [&](int i) { return a[i] * a[i] * a[i] * 0.5f; });

  CUDA(cudaFree(da));
  CUDA(cudaFree(db));
  CUDA(cudaFree(dOut));
  CUDA(cudaFree(dk));
  CUDA(cudaFree(ds));
  CUDA(cudaFree(dd));
  if (fine) printf("functors: ok\n");
  return fine ? 0 : 1;
}
