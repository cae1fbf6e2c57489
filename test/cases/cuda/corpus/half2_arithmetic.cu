// half and half2, by intrinsics and by operators: arithmetic, comparisons, conversions with their roundings, atomicAdd,
// shuffles. Half results are compared to the bit with roundings that the program makes itself.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// The nearest half to a double, ties to even.
static uint16_t roundToHalf(double v) {
  const uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  v = std::fabs(v);
  if (v != v) return sign | 0x7e00;
  if (v >= 65520.0) return sign | 0x7c00;
  int exponent;
  std::frexp(v, &exponent);
  const int step = std::max(exponent - 11, -24);  // the weight of the last bit
  const double steps = std::nearbyint(std::ldexp(v, -step));
  if (step == -24) return sign | uint16_t(steps);  // subnormal, or the smallest normal
  return sign | uint16_t(((step + 25) << 10) + (int(steps) - 1024));
}

static double value(uint16_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  const double v = e == 0 ? std::ldexp(m, -24) : e == 31 ? (m ? NAN : INFINITY) : std::ldexp(1024 + m, e - 25);
  return h & 0x8000 ? -v : v;
}

constexpr int kOps = 12;

__global__ void arithmetic(const half2* a, const half2* b, half2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half2 x = a[i], y = b[i];
  half2* o = out + i * kOps;
  o[0] = __hadd2(x, y);
  o[1] = __hsub2(x, y);
  o[2] = __hmul2(x, y);
  o[3] = __hfma2(x, y, x);
  o[4] = x + y * x;
  o[5] = __hneg2(x);
  o[6] = __habs2(y);
  o[7] = __halves2half2(__high2half(x), __low2half(y));
  o[8] = __lows2half2(x, y);
  o[9] = __hmax2(x, y);
  o[10] = __hgt2(x, y);  // 1.0 or 0.0
  half2 s = x;
  s += y;
  s -= __float2half2_rn(0.5f);
  o[11] = s;
}

__global__ void single(const __half* a, const __half* b, float* f, int* flags, __half* h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  f[i] = __half2float(a[i]) * 3 + float(b[i]);
  flags[i] = __hlt(a[i], b[i]) | __heq(a[i], b[i]) << 1 | __hge(a[i], b[i]) << 2 | (__hisnan(a[i]) ? 8 : 0) | (a[i] != b[i] ? 16 : 0) |
             __half2int_rn(a[i]) << 8;
  h[i] = i % 2 ? __float2half_rz(f[i]) : __int2half_rn(i * 37);
}

// sums of quarters that half holds exactly: no order changes them
__global__ void sums(const __half* a, __half* sum, __half2* sum2, __half* warpSums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half v = __float2half(i < n ? (i % 5) * 0.25f : 0.0f);
  if (i < n) {
    atomicAdd(sum, v);
    atomicAdd(sum2, __halves2half2(v, __float2half(0.5f)));
  }
  for (int d = 16; d; d >>= 1) v = __hadd(v, __shfl_xor_sync(0xffffffff, v, d));
  if (threadIdx.x % 32 == 0) warpSums[i / 32] = v;
}

static void good(cudaError_t e, int line = __builtin_LINE()) {
  if (e != cudaSuccess) std::printf("half2_arithmetic.cu:%d: %s\n", line, cudaGetErrorString(e)), std::exit(1);
}

int main() {
  const int n = 512, m = 2 * n;
  std::vector<uint16_t> a(m), b(m), out(m * kOps), h(m), warps(4);
  uint32_t r = 11;
  for (int i = 0; i < m; ++i) {
    r = r * 1664525u + 1013904223u;
    a[i] = roundToHalf((int(r >> 16) - 32768) / 700.0);
    b[i] = i % 9 == 0 ? a[i] : roundToHalf(std::ldexp(int(r & 0xffff) - 32768, -int(r >> 29) - 12));
  }
  half2 *da, *db, *dout, *dsum2;
  half *dh, *dsum, *dwarps;
  float* df;
  int* dflags;
  good(cudaMalloc(&da, m * 2));
  good(cudaMalloc(&db, m * 2));
  good(cudaMalloc(&dout, m * 2 * kOps));
  good(cudaMalloc(&dh, m * 2));
  good(cudaMalloc(&df, m * sizeof(float)));
  good(cudaMalloc(&dflags, m * sizeof(int)));
  good(cudaMalloc(&dsum, sizeof(half)));
  good(cudaMalloc(&dsum2, sizeof(half2)));
  good(cudaMalloc(&dwarps, 4 * sizeof(half)));
  good(cudaMemcpy(da, a.data(), m * 2, cudaMemcpyHostToDevice));
  good(cudaMemcpy(db, b.data(), m * 2, cudaMemcpyHostToDevice));
  good(cudaMemset(dsum, 0, sizeof(half)));
  good(cudaMemset(dsum2, 0, sizeof(half2)));
  arithmetic<<<(n + 63) / 64, 64>>>(da, db, dout, n);
  good(cudaGetLastError());
  single<<<(m + 63) / 64, 64>>>(reinterpret_cast<half*>(da), reinterpret_cast<half*>(db), df, dflags, dh, m);
  good(cudaGetLastError());
  sums<<<2, 64>>>(reinterpret_cast<half*>(da), dsum, dsum2, dwarps, 101);
  good(cudaGetLastError());
  std::vector<float> f(m);
  std::vector<int> flags(m);
  uint16_t sum[3];
  good(cudaMemcpy(out.data(), dout, out.size() * 2, cudaMemcpyDeviceToHost));
  good(cudaMemcpy(h.data(), dh, m * 2, cudaMemcpyDeviceToHost));
  good(cudaMemcpy(f.data(), df, m * sizeof(float), cudaMemcpyDeviceToHost));
  good(cudaMemcpy(flags.data(), dflags, m * sizeof(int), cudaMemcpyDeviceToHost));
  good(cudaMemcpy(sum, dsum, 2, cudaMemcpyDeviceToHost));
  good(cudaMemcpy(sum + 1, dsum2, 4, cudaMemcpyDeviceToHost));
  good(cudaMemcpy(warps.data(), dwarps, 8, cudaMemcpyDeviceToHost));
  for (void* p : {(void*)da, (void*)db, (void*)dout, (void*)dh, (void*)df, (void*)dflags, (void*)dsum, (void*)dsum2, (void*)dwarps})
    good(cudaFree(p));

  for (int i = 0; i < m; ++i) {
    const double x = value(a[i]), y = value(b[i]);
    const int pair = i / 2, half = i % 2;
    auto rounded = [](double v) { return value(roundToHalf(v)); };
    const double want[kOps] = {x + y, x - y, x * y, x * y + x, NAN, -x, std::fabs(y),
                               half ? value(b[i - 1]) : value(a[i + 1]), half ? value(b[i - 1]) : x,
                               std::fmax(x, y), x > y ? 1.0 : 0.0, rounded(x + y) - 0.5};
    for (int k = 0; k < kOps; ++k) {
      const uint16_t got = out[(pair * kOps + k) * 2 + half];
      if (k == 4) {  // the compiler may contract it or round twice
        const uint16_t once = roundToHalf(x + y * x), twice = roundToHalf(x + rounded(y * x));
        if (value(got) == value(once) || value(got) == value(twice)) continue;
        std::printf("half2_arithmetic: operators %d: expected %g or %g, got %g\n", i, value(once), value(twice), value(got));
        return 1;
      }
      if (!(value(got) == value(roundToHalf(want[k])))) {
        std::printf("half2_arithmetic: operation %d of element %d: expected %g, got %g\n", k, i, value(roundToHalf(want[k])), value(got));
        return 1;
      }
    }
    const float wantF = float(x * 3 + y);
    const int wantFlags = (x < y) | (x == y) << 1 | (x >= y) << 2 | (x != y ? 16 : 0) | int(std::nearbyint(x)) * 256;
    if (!(std::fabs(f[i] - wantF) <= 1e-4f) || flags[i] != wantFlags) {
      std::printf("half2_arithmetic: single %d: expected %g %x, got %g %x\n", i, wantF, wantFlags, f[i], flags[i]);
      return 1;
    }
    // toward zero: the largest half that is not above
    uint16_t wantH = i % 2 ? roundToHalf(f[i]) : roundToHalf(i * 37);
    if (i % 2 && std::fabs(value(wantH)) > std::fabs(f[i])) --wantH;
    if (!(value(h[i]) == value(wantH))) {
      std::printf("half2_arithmetic: conversion %d: expected %g, got %g\n", i, value(wantH), value(h[i]));
      return 1;
    }
  }
  double total = 0, byWarp[4] = {};
  for (int i = 0; i < 101; ++i) total += i % 5 * 0.25, byWarp[i / 32] += i % 5 * 0.25;
  const double wantSums[3] = {total, total, 101 * 0.5};
  for (int k = 0; k < 3; ++k)
    if (!(value(sum[k]) == wantSums[k])) return std::printf("half2_arithmetic: sum %d: expected %g, got %g\n", k, wantSums[k], value(sum[k])), 1;
  for (int w = 0; w < 4; ++w)
    if (!(value(warps[w]) == byWarp[w])) return std::printf("half2_arithmetic: warp %d: expected %g, got %g\n", w, byWarp[w], value(warps[w])), 1;
  std::printf("half2_arithmetic: ok\n");
  return 0;
}
