// Loads and stores by float4, int2, uchar4, double2, short4, longlong2, and unaligned tails; sizes and alignments as
// the guide has them; operators of the program's own for float3.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float3 operator*(float s, const float3& v) { return {s * v.x, s * v.y, s * v.z}; }
inline __host__ __device__ float dot(const float3& a, const float3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "float3");
static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "float4");
static_assert(sizeof(int2) == 8 && alignof(int2) == 8, "int2");
static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4, "uchar4");
static_assert(sizeof(uchar3) == 3 && alignof(uchar3) == 1, "uchar3");
static_assert(sizeof(short4) == 8 && alignof(short4) == 8, "short4");
static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "double2");
static_assert(sizeof(dim3) == 12, "dim3");

// Four floats at once, the rest one by one.
__global__ void scale4(const float* in, float* out, int n, float s) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  const int quads = n / 4;
  for (int q = t; q < quads; q += stride) {
    float4 v = reinterpret_cast<const float4*>(in)[q];
    v.x *= s;
    v.y *= s;
    v.z *= s;
    v.w *= s;
    reinterpret_cast<float4*>(out)[q] = v;
  }
  for (int i = quads * 4 + t; i < n; i += stride) out[i] = in[i] * s;
}

__global__ void swizzle(const int2* pairs, const uchar4* pixels, const short4* shorts, const double2* complex, int n, longlong2* out,
                        double2* squares) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int2 p = pairs[i];
  const uchar4 c = pixels[i];
  const short4 s = shorts[i];
  out[i] = make_longlong2((long long)p.y * p.x, (long long)c.x | c.y << 8 | c.z << 16 | (long long)c.w << 24);
  out[i].x += s.x + s.y * 2 + s.z * 3 + s.w * 4;
  const double2 z = complex[i];
  squares[i] = make_double2(z.x * z.x - z.y * z.y, 2 * z.x * z.y);
}

__global__ void vectors(const float3* a, const float3* b, float3* out, float* dots, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    out[i] = cross(a[i], b[i]) + 2.0f * a[i];
    dots[i] = dot(out[i], b[i]);
  }
}

#define CK(x) do { cudaError_t e = x; if (e) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

template <typename T>
T* up(const std::vector<T>& v) {
  T* p;
  CK(cudaMalloc(&p, v.size() * sizeof(T)));
  CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <typename T>
std::vector<T> down(T* p, int n) {
  std::vector<T> v(n);
  CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  CK(cudaFree(p));
  return v;
}

int main() {
  const int n = 1003;
  std::vector<float> f(n);
  std::vector<int2> pairs(n);
  std::vector<uchar4> pixels(n);
  std::vector<short4> shorts(n);
  std::vector<double2> complex(n);
  std::vector<float3> a(n), b(n);
  for (int i = 0; i < n; ++i) {
    f[i] = i * 0.5f;
    pairs[i] = make_int2(i * 65537, i - 500);
    pixels[i] = make_uchar4(i, i >> 2, 255 - i, i % 7 * 40);
    shorts[i] = make_short4(i, -i, i * 3, i - 400);
    complex[i] = {i % 17 - 8.0, i % 5 * 0.5};
    a[i] = make_float3(i % 4, i % 3 - 1, i % 5);
    b[i] = make_float3(1, i % 7, -(i % 2));
  }
  float *dF = up(f), *dG = up(f);
  scale4<<<4, 64>>>(dF, dG, n, 4.0f);
  CK(cudaGetLastError());
  auto *dPairs = up(pairs);
  auto *dPixels = up(pixels);
  auto *dShorts = up(shorts);
  auto *dComplex = up(complex);
  longlong2* dOut = up(std::vector<longlong2>(n));
  double2* dSquares = up(complex);
  swizzle<<<(n + 95) / 96, 96>>>(dPairs, dPixels, dShorts, dComplex, n, dOut, dSquares);
  CK(cudaGetLastError());
  float3 *dA = up(a), *dB = up(b), *dC = up(a);
  float* dDots = up(f);
  vectors<<<(n + 31) / 32, 32>>>(dA, dB, dC, dDots, n);
  CK(cudaGetLastError());

  const auto g = down(dG, n);
  const auto out = down(dOut, n);
  const auto squares = down(dSquares, n);
  const auto c = down(dC, n);
  const auto dots = down(dDots, n);
  CK(cudaFree(dF));
  CK(cudaFree(dPairs));
  CK(cudaFree(dPixels));
  CK(cudaFree(dShorts));
  CK(cudaFree(dComplex));
  CK(cudaFree(dA));
  CK(cudaFree(dB));
  for (int i = 0; i < n; ++i) {
    const long long x = (long long)pairs[i].x * pairs[i].y + shorts[i].x + shorts[i].y * 2 + shorts[i].z * 3 + shorts[i].w * 4;
    const long long y = pixels[i].x + pixels[i].y * 256LL + pixels[i].z * 65536LL + pixels[i].w * 16777216LL;
    const double re = complex[i].x * complex[i].x - complex[i].y * complex[i].y, im = 2 * complex[i].x * complex[i].y;
    const float3 v = cross(a[i], b[i]) + 2.0f * a[i];
    if (!(g[i] == f[i] * 4)) return printf("vector_types: scaled %d: expected %g, got %g\n", i, f[i] * 4, g[i]), 1;
    if (out[i].x != x || out[i].y != y)
      return printf("vector_types: pair %d: expected %lld %lld, got %lld %lld\n", i, x, y, out[i].x, out[i].y), 1;
    if (!(squares[i].x == re && squares[i].y == im))
      return printf("vector_types: square %d: expected %g %g, got %g %g\n", i, re, im, squares[i].x, squares[i].y), 1;
    if (!(c[i].x == v.x && c[i].y == v.y && c[i].z == v.z && dots[i] == dot(v, b[i])))
      return printf("vector_types: vector %d: expected %g %g %g, got %g %g %g\n", i, v.x, v.y, v.z, c[i].x, c[i].y, c[i].z), 1;
  }
  printf("vector_types: ok\n");
  return 0;
}
