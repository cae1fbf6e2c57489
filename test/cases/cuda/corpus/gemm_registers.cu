// alpha * A * B + beta * C in double: a thread computes 4 by 4 elements in registers, and tiles are loaded one
// ahead into the other half of shared memory.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace gemm {

struct Shape {
  int m, n, k;
};

template <class T, int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
kernel(Shape s, T alpha, const T* a, const T* b, T beta, T* c) {
  constexpr int threads = (BM / TM) * (BN / TN);
  __shared__ T as[2][BK][BM];
  __shared__ T bs[2][BK][BN];

  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int tr = threadIdx.x / (BN / TN) * TM, tc = threadIdx.x % (BN / TN) * TN;

  auto load = [&](int half, int k0) {
    for (int i = threadIdx.x; i < BM * BK; i += threads) {
      const int r = i / BK, k = i % BK;
      as[half][k][r] = row0 + r < s.m && k0 + k < s.k ? a[(row0 + r) * s.k + k0 + k] : T(0);
    }
    for (int i = threadIdx.x; i < BK * BN; i += threads) {
      const int k = i / BN, col = i % BN;
      bs[half][k][col] = k0 + k < s.k && col0 + col < s.n ? b[(k0 + k) * s.n + col0 + col] : T(0);
    }
  };

  T sum[TM][TN] = {};
  load(0, 0);
  __syncthreads();
  int half = 0;
  for (int k0 = 0; k0 < s.k; k0 += BK) {
    if (k0 + BK < s.k) load(half ^ 1, k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      T ra[TM], rb[TN];
      for (int i = 0; i < TM; ++i) ra[i] = as[half][k][tr + i];
      for (int j = 0; j < TN; ++j) rb[j] = bs[half][k][tc + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += ra[i] * rb[j];
    }
    half ^= 1;
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      const int r = row0 + tr + i, col = col0 + tc + j;
      if (r < s.m && col < s.n) c[r * s.n + col] = alpha * sum[i][j] + beta * c[r * s.n + col];
    }
}

}  // namespace gemm

#define CHECK_CUDA(func)                                                                        \
  {                                                                                             \
    cudaError_t status = (func);                                                                \
    if (status != cudaSuccess) {                                                                \
      std::printf("CUDA API failed at line %d with error: %s (%d)\n", __LINE__,                 \
                  cudaGetErrorString(status), status);                                          \
      return EXIT_FAILURE;                                                                      \
    }                                                                                           \
  }

int main() {
  const gemm::Shape s{70, 41, 53};
  const double alpha = 1.5, beta = -0.5;
  std::vector<double> a(s.m * s.k), b(s.k * s.n), c(s.m * s.n), got(s.m * s.n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(double(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(2.0 * i);
  for (size_t i = 0; i < c.size(); ++i) c[i] = i % 7;

  std::array<double*, 3> d{};
  const std::vector<double>* host[] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i) {
    CHECK_CUDA(cudaMalloc(&d[i], host[i]->size() * sizeof(double)));
    CHECK_CUDA(cudaMemcpy(d[i], host[i]->data(), host[i]->size() * sizeof(double), cudaMemcpyHostToDevice));
  }
  constexpr int BM = 32, BN = 16;
  dim3 grid((s.n + BN - 1) / BN, (s.m + BM - 1) / BM);
  gemm::kernel<double, BM, BN, 8, 4, 4><<<grid, (BM / 4) * (BN / 4)>>>(s, alpha, d[0], d[1], beta, d[2]);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(got.data(), d[2], got.size() * sizeof(double), cudaMemcpyDeviceToHost));
  for (double* p : d) CHECK_CUDA(cudaFree(p));

  for (int i = 0; i < s.m; ++i)
    for (int j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int k = 0; k < s.k; ++k) sum += a[i * s.k + k] * b[k * s.n + j];
      const double want = alpha * sum + beta * c[i * s.n + j];
      if (!(std::abs(got[i * s.n + j] - want) <= 1e-12 * s.k)) {
        std::printf("gemm_registers: element %d: expected %.15g, got %.15g\n", i * s.n + j, want, got[i * s.n + j]);
        return 1;
      }
    }
  std::printf("gemm_registers: ok\n");
  return 0;
}
