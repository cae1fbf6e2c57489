// Kernel arguments of 4 KB by value, unions, bit fields, nested and aligned structs, references to constants, complex numbers.
#include <cstdio>
#include <cstring>
#include <cuComplex.h>
#include <cuda_runtime.h>
struct __align__(16) Particle { float3 pos; float mass; double energy; unsigned kind : 3, state : 5; union { int i; float f; } tag; };
struct Params { Particle first; int table[900]; char name[32]; double2 range; enum Mode { OFF, ON = 7 } mode; };
static_assert(sizeof(Params) <= 4096, "arguments of a kernel");
class Complex {
 public:
  float re, im;
  __host__ __device__ Complex(float r = 0, float i = 0) : re(r), im(i) {}
  __host__ __device__ Complex operator+(const Complex &o) const { return Complex(re + o.re, im + o.im); }
  __host__ __device__ Complex operator*(const Complex &o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __host__ __device__ Complex &operator+=(const Complex &o) { re += o.re; im += o.im; return *this; }
  __host__ __device__ friend bool operator==(const Complex &a, const Complex &b) { return a.re == b.re && a.im == b.im; }
  __host__ __device__ float norm() const { return re * re + im * im; }
};
__host__ __device__ inline float3 operator+(float3 a, const float3 &b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline void operator*=(float3 &a, float s) { a.x *= s; a.y *= s; a.z *= s; }
__global__ void use(const Params p, Particle *out, Complex *z, cuFloatComplex *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle mine = p.first;
  mine.pos = mine.pos + make_float3(i, 2 * i, 3 * i); mine.pos *= 0.5f;
  mine.energy = p.table[i % 900] + p.range.y; mine.kind = i; mine.state = p.mode; mine.tag.f = dot(mine.pos, {1, 1, 1}); mine.mass = p.name[i % 4];
  out[i] = mine;
  Complex c(i * 0.01f, 0.5f), v; int it = 0;
  for (; it < 50 && v.norm() < 4; ++it) v = v * v + c;
  z[i] = Complex(it) + v * Complex(0, 0);
  w[i] = cuCaddf(cuCmulf(make_cuFloatComplex(i, 1), make_cuComplex(0, 1)), cuConjf(w[i]));
}
int main() {
  const int n = 200; int bad = 0;
  Params p; memset(&p, 0, sizeof p);
  p.first.pos = make_float3(1, 2, 3); p.range = make_double2(0, 9); p.mode = Params::ON; strcpy(p.name, "abcd");
  for (int i = 0; i < 900; i++) p.table[i] = i * i;
  Particle *d, h[n]; Complex *z, hz[n]; cuFloatComplex *w, hw[n];
  cudaMalloc(&d, sizeof h); cudaMalloc(&z, sizeof(Complex) * n); cudaMallocManaged(&w, sizeof hw);
  for (int i = 0; i < n; i++) w[i] = make_cuFloatComplex(2, 3);
  use<<<(n + 63) / 64, 64>>>(p, d, z, w, n);
  p.table[5] = -1;
  cudaDeviceSynchronize();
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); cudaMemcpy(hz, z, sizeof(Complex) * n, cudaMemcpyDeviceToHost); memcpy(hw, w, sizeof hw);
  for (int i = 0; i < n; i++) {
    float3 pos = make_float3((1 + i) * .5f, (2 + 2 * i) * .5f, (3 + 3 * i) * .5f); Complex c(i * 0.01f, 0.5f), v; int it = 0;
    for (; it < 50 && v.norm() < 4; ++it) v = v * v + c;
    if ((h[i].pos.y != pos.y || h[i].energy != i * i + 9 || h[i].kind != (i & 7) || h[i].state != 7 || h[i].tag.f != dot(pos, make_float3(1, 1, 1)) || h[i].mass != "abcd"[i % 4]) && !bad++) printf("particle %d\n", i);
    if (hz[i].re != it && !bad++) printf("escape of %d: expected %d, got %f\n", i, it, hz[i].re);
    if ((cuCrealf(hw[i]) != -1 + 2 || cuCimagf(hw[i]) != i - 3) && !bad++) printf("w %d: %f %f\n", i, hw[i].x, hw[i].y);
  }
  cudaFree(d); cudaFree(z); cudaFree(w);
  if (bad) return 1;
  printf("big_arguments: ok\n");
}
