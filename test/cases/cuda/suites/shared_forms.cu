// Every form of a __shared__ declaration that the suites have.
#include <cstdio>
#define W 8
#define PAIR_OF(T, a, b) __shared__ T a[64]; __shared__ T b[64];
#define DECLARE_TILE(T, name) __shared__ T name[W][W]
struct Acc { int sum; int parts[4]; };
typedef int row_t[W];
template <typename T> struct SharedMemory;
template <> struct SharedMemory<int> { __device__ int *getPointer() { extern __shared__ int s_int[]; return s_int; } };
template <> struct SharedMemory<double> { __device__ double *getPointer() { extern __shared__ double s_double[]; return s_double; } };
template <class T> struct Shared { __device__ inline operator T *() { extern __shared__ int __smem[]; return (T *)__smem; } };
extern __shared__ float4 pool[];
__shared__ int fileScope[64];
__shared__ int lone;
template <typename T, int N> __device__ T blockSum(T v) {
  static __shared__ T partial[N];
  partial[threadIdx.x] = v; __syncthreads();
  T s = 0; for (int i = 0; i < N; ++i) s += partial[i];
  __syncthreads();
  return s;
}
__global__ void forms(int *out) {
  __shared__ int a[64], b, *p, c[2][3];
  __shared__ unsigned char bytes[ 64 ]; __shared__ Acc acc; __shared__ __align__(16) float f4[4]; __align__(8) __shared__ char raw[16];
  __shared__ row_t rows[2]; volatile __shared__ int flag; __shared__ alignas(32) double wide[3]; __shared__ struct { int x, y; } pair; __shared__ union { int i[4]; float f[4]; } u;
  DECLARE_TILE(short, tile); DECLARE_TILE(int, tile2); PAIR_OF(float, left, right);
  const int t = threadIdx.x;
  if (t == 0) { b = 3; p = a; acc.sum = 4; flag = 5; pair.x = 6; pair.y = 7; u.f[1] = 1.0f; lone = 8; c[1][2] = 9; wide[2] = 10; raw[15] = 11; f4[3] = 12; rows[1][7] = 13; }
  a[t] = t; bytes[t] = t * 5; fileScope[63 - t] = t; tile[t / W][t % W] = t; tile2[t / W][t % W] = 2 * t; left[t] = t; right[t] = -t;
  __syncthreads();
  {
    __shared__ int inner[64];
    inner[t] = p[63 - t]; __syncthreads();
    out[t] = inner[63 - t] + b + acc.sum + flag + pair.x + pair.y + (u.i[1] == 0x3f800000) + lone + c[1][2] + (int)wide[2] + raw[15] + (int)f4[3] + rows[1][7] + bytes[t] + fileScope[t] + tile[t % W][t / W] + tile2[t / W][t % W] - 2 * t + (int)(left[63 - t] + right[63 - t]);
  }
  out[t] += blockSum<int, 64>(t) + (int)blockSum<double, 64>(0.5) + ((size_t)f4 % 16 == 0) + ((size_t)wide % 32 == 0);
}
template <typename T> __global__ void typed(T *out) {
  SharedMemory<T> smem; T *s = smem.getPointer(); T *same = Shared<T>();
  s[threadIdx.x] = threadIdx.x; __syncthreads();
  out[threadIdx.x] = same[blockDim.x - 1 - threadIdx.x];
}
__global__ void pooled(float *out) {
  float *f = (float *)pool; pool[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3); __syncthreads();
  out[threadIdx.x] = f[4 * (31 - threadIdx.x)] + pool[threadIdx.x].w;
}
int main() {
  int *d, h[64], bad = 0; double *dd, hd[64]; float *df, hf[32];
  cudaMalloc(&d, sizeof h); cudaMalloc(&dd, sizeof hd); cudaMalloc(&df, sizeof hf);
  forms<<<1, 64>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; t++) {
    int want = t + 3 + 4 + 5 + 6 + 7 + 1 + 8 + 9 + 10 + 11 + 12 + 13 + (unsigned char)(t * 5) + (63 - t) + (t % W) * W + t / W + 63 * 32 + 32 + 2;
    if (h[t] != want && !bad++) printf("element %d: expected %d, got %d\n", t, want, h[t]);
  }
  typed<int><<<1, 64, 64 * sizeof(int)>>>(d); typed<double><<<1, 64, 64 * sizeof(double)>>>(dd); pooled<<<1, 32, 32 * sizeof(float4)>>>(df);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); cudaMemcpy(hd, dd, sizeof hd, cudaMemcpyDeviceToHost); cudaMemcpy(hf, df, sizeof hf, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; t++) if ((h[t] != 63 - t || hd[t] != 63 - t) && !bad++) printf("typed %d: %d %f\n", t, h[t], hd[t]);
  for (int t = 0; t < 32; t++) if (hf[t] != 34 - t && !bad++) printf("pool %d: %f\n", t, hf[t]);
  cudaFree(d); cudaFree(dd); cudaFree(df);
  if (bad) return 1;
  printf("shared_forms: ok\n");
}
