// Shared memory in templates: arrays whose type and size are parameters, one for each instantiation; extern arrays of
// several types by the usual struct; several extern parts of different types in one allocation.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

// Utility class used to avoid linker errors with extern unsized shared memory arrays with templated type
template <class T>
struct SharedMemory {
  __device__ inline operator T *() {
    extern __shared__ int __smem[];
    return (T *)__smem;
  }
};
template <>
struct SharedMemory<double> {
  __device__ inline operator double *() {
    extern __shared__ double __smem_d[];
    return (double *)__smem_d;
  }
};

template <typename T, int N, bool Reverse>
__global__ void rotate(const T *in, T *out, int by) {
  __shared__ T buffer[N];
  __shared__ struct { T first; int n; } header;
  if (threadIdx.x == 0) {
    header.first = in[blockIdx.x * N];
    header.n = N;
  }
  buffer[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
  __syncthreads();
  int from = (threadIdx.x + by) % header.n;
  if constexpr (Reverse) from = header.n - 1 - from;
  out[blockIdx.x * N + threadIdx.x] = buffer[from] + header.first;
}

template <typename T>
__global__ void neighbours(const T *in, T *out, int n) {
  T *s = SharedMemory<T>();
  s[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : T(0);
  __syncthreads();
  if (threadIdx.x < n) out[threadIdx.x] = s[threadIdx.x] * 2 + s[(threadIdx.x + 1) % n];
}

// [double x n][int x n][char x n] in this order, so that each part is aligned.
__global__ void parts(const int *in, double *out, int n) {
  extern __shared__ __align__(16) char pool[];
  double *d = reinterpret_cast<double *>(pool);
  int *k = reinterpret_cast<int *>(d + n);
  char *c = reinterpret_cast<char *>(k + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    d[i] = in[i] * 0.5;
    k[i] = in[i];
    c[i] = static_cast<char>(in[i] % 100);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int j = n - 1 - i;
    out[i] = d[j] * 1000 + k[j] + c[j];
  }
}

#define CALL(...) if (cudaError_t e_ = (__VA_ARGS__)) { std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); std::exit(1); }

template <typename T>
struct Device {
  T *p = nullptr;
  explicit Device(int n) { CALL(cudaMalloc(&p, n * sizeof(T))) }
  Device(const std::vector<T> &v) : Device((int)v.size()) { CALL(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)) }
  ~Device() { CALL(cudaFree(p)) }
  std::vector<T> get(int n) const {
    std::vector<T> v(n);
    CALL(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost))
    return v;
  }
};

template <typename T, int N, bool Reverse>
bool rotates() {
  const int blocks = 3;
  std::vector<T> in(blocks * N);
  for (int i = 0; i < blocks * N; ++i) in[i] = static_cast<T>(i * 5 % 50 + 1);
  Device<T> a(in), b(blocks * N);
  rotate<T, N, Reverse><<<blocks, N>>>(a.p, b.p, 7);
  CALL(cudaGetLastError())
  const auto got = b.get(blocks * N);
  for (int i = 0; i < blocks * N; ++i) {
    int from = (i % N + 7) % N;
    if (Reverse) from = N - 1 - from;
    const T want = static_cast<T>(in[i / N * N + from] + in[i / N * N]);
    if (!(got[i] == want)) {
      std::printf("template_shared: rotate %zu %d: element %d: expected %g, got %g\n", sizeof(T), N, i, (double)want, (double)got[i]);
      return false;
    }
  }
  return true;
}

template <typename T>
bool hasNeighbours(int n) {
  std::vector<T> in(n);
  for (int i = 0; i < n; ++i) in[i] = T(i * 3 % 41) / 2;
  Device<T> a(in), b(n);
  neighbours<T><<<1, 128, 128 * sizeof(T)>>>(a.p, b.p, n);
  CALL(cudaGetLastError())
  const auto got = b.get(n);
  for (int i = 0; i < n; ++i) {
    const T want = in[i] * 2 + in[(i + 1) % n];
    if (!(got[i] == want)) {
      std::printf("template_shared: neighbours %d: expected %g, got %g\n", i, (double)want, (double)got[i]);
      return false;
    }
  }
  return true;
}

int main() {
  if (!rotates<int, 64, false>() || !rotates<int, 33, true>() || !rotates<unsigned char, 50, false>() ||
      !rotates<double, 96, true>() || !rotates<short, 17, false>() || !rotates<float, 64, false>())
    return 1;
  if (!hasNeighbours<float>(101) || !hasNeighbours<double>(77) || !hasNeighbours<int>(128)) return 1;

  const int n = 131;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = i * i;
  Device<int> a(in);
  Device<double> b(n);
  parts<<<1, 64, n * (sizeof(double) + sizeof(int) + sizeof(char))>>>(a.p, b.p, n);
  CALL(cudaGetLastError())
  const auto got = b.get(n);
  for (int i = 0; i < n; ++i) {
    const int v = in[n - 1 - i];
    const double want = v * 0.5 * 1000 + v + v % 100;
    if (!(got[i] == want)) {
      std::printf("template_shared: parts %d: expected %g, got %g\n", i, want, got[i]);
      return 1;
    }
  }
  std::printf("template_shared: ok\n");
  return 0;
}
