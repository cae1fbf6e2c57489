// One function for both sides with an #ifdef of the side, a random generator of the device, double2 operators, bit tricks, strings of the device.
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <cstring>
#ifdef __CUDACC__
#define CUDA_CALLABLE __host__ __device__
#define HD __host__ __device__ __forceinline__
#else
#define CUDA_CALLABLE
#define HD inline
#endif
typedef unsigned long long ull; typedef double2 dcomplex;
HD dcomplex operator*(dcomplex a, dcomplex b) { return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
HD dcomplex operator+(const dcomplex &a, const dcomplex &b) { return {a.x + b.x, a.y + b.y}; }
HD double norm2(const dcomplex &a) { return a.x * a.x + a.y * a.y; }
#define LCG_A 2806196910506780709ULL
#define LCG_C 1ULL
#define LCG_M (1ULL << 63)
CUDA_CALLABLE double LCG_random_double(uint64_t *seed) { const uint64_t m = 9223372036854775808ULL, a = 2806196910506780709ULL, c = 1ULL; *seed = (a * (*seed) + c) % m; return (double)(*seed) / (double)m; }
CUDA_CALLABLE int side() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 0;
#endif
}
struct Hash { unsigned state; CUDA_CALLABLE explicit Hash(unsigned s) : state(s) {} CUDA_CALLABLE unsigned next() { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state; } };
template <class T> CUDA_CALLABLE inline void swapThem(T &a, T &b) { T t = a; a = b; b = t; }
CUDA_CALLABLE void sortFew(int *v, int n) { for (int i = 1; i < n; i++) for (int j = i; j > 0 && v[j] < v[j - 1]; j--) swapThem(v[j], v[j - 1]); }
__device__ int length(const char *s) { int n = 0; while (*s++) ++n; return n; }
__device__ const char *const names[] = {"one", "three", "fifteen"};
__global__ void kernel(double *r, unsigned *h, int *s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t seed = 1070 + i; double v = 0; for (int k = 0; k < 10; k++) v += LCG_random_double(&seed);
  dcomplex z = make_double2(v, 1) * make_double2(0.5, -0.25) + make_double2(1, 1); r[i] = norm2(z) + erf(v * 0.1) + cbrt(v) + rint(v) + ldexp(v, 2) + fma(v, 2.0, 1.0) + rsqrt(v) + exp2f(2.f) + __fdividef(1.f, 2.f) + signbit(-v) + isnan(v) + fmod(v, 1.0);
  Hash g(i * 2654435761u + 1); for (int k = 0; k < 5; k++) g.next(); h[i] = g.next() + __clz(i) + __ffs(i) + __popcll(~0ull) + __brev(i) + __umulhi(i * 77777777u, 99999u) + __funnelshift_l(i, 3, 7) + __byte_perm(i, 7, 0x5140);
  int local[5] = {i % 7, 3, i % 3, 9, -i}; sortFew(local, 5); s[i] = local[0] * 1000 + local[2] * 10 + side() + length(names[i % 3]);
}
int main() {
  const int n = 77; double r[n], *dr; unsigned h[n], *dh; int s[n], *ds, bad = 0;
  cudaMalloc(&dr, sizeof r); cudaMalloc(&dh, sizeof h); cudaMalloc(&ds, sizeof s);
  kernel<<<3, 32>>>(dr, dh, ds, n);
  cudaMemcpy(r, dr, sizeof r, cudaMemcpyDefault); cudaMemcpy(h, dh, sizeof h, cudaMemcpyDefault); cudaMemcpy(s, ds, sizeof s, cudaMemcpyDefault);
  if (side() != 0) bad++;
  const int lengths[] = {3, 5, 7};
  for (int i = 0; i < n; i++) {
    uint64_t seed = 1070 + i; double v = 0; for (int k = 0; k < 10; k++) v += LCG_random_double(&seed);
    dcomplex z = make_double2(v, 1) * make_double2(0.5, -0.25) + make_double2(1, 1); double want = norm2(z) + std::erf(v * 0.1) + std::cbrt(v) + std::rint(v) + v * 4 + v * 2 + 1 + 1 / std::sqrt(v) + 4 + 0.5 + 1 + std::fmod(v, 1.0);
    if (std::fabs(r[i] - want) > 1e-9 * std::fabs(want) && !bad++) printf("number %d: expected %.12f, got %.12f\n", i, want, r[i]);
    int local[5] = {i % 7, 3, i % 3, 9, -i}; sortFew(local, 5); int w = local[0] * 1000 + local[2] * 10 + 1 + lengths[i % 3];
    if (s[i] != w && !bad++) printf("sorted %d: expected %d, got %d\n", i, w, s[i]);
    Hash g(i * 2654435761u + 1); for (int k = 0; k < 5; k++) g.next();
    unsigned rev = 0; for (int b = 0; b < 32; b++) rev |= (i >> b & 1u) << (31 - b);
    unsigned wh = g.next() + (i ? __builtin_clz(i) : 32) + __builtin_ffs(i) + 64 + rev + (unsigned)((ull)(i * 77777777u) * 99999u >> 32) + (3u << 7 | (unsigned)((ull)i >> 25)) + ((i & 255u) | 7u << 8 | (i >> 8 & 255u) << 16);
    if (h[i] != wh && !bad++) printf("hash %d: expected %u, got %u\n", i, wh, h[i]);
  }
  cudaFree(dr); cudaFree(dh); cudaFree(ds);
  if (bad) return 1;
  printf("host_device_math: ok\n");
}
