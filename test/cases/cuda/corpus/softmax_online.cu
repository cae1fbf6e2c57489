// Softmax in one pass over each row: a running maximum and a running sum that is rescaled. One thread, then one warp a row.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(x) do { cudaError_t err_ = (x); if (err_ != cudaSuccess) { \
  std::fprintf(stderr, "%s at line %d\n", cudaGetErrorString(err_), __LINE__); std::exit(1); } } while (0)

struct MaxSum {
  float m, d;
};

__device__ __forceinline__ MaxSum combine(MaxSum a, MaxSum b) {
  MaxSum big = a.m > b.m ? a : b;
  MaxSum small = a.m > b.m ? b : a;
  if (small.d == 0.f) return big;
  return {big.m, big.d + small.d * expf(small.m - big.m)};
}

__global__ void softmaxThread(const float* x, float* y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  x += r * columns, y += r * columns;
  float m = -INFINITY, d = 0.f;
  for (int c = 0; c < columns; ++c) {
    float bigger = fmaxf(m, x[c]);
    d = d * expf(m - bigger) + expf(x[c] - bigger);
    m = bigger;
  }
  for (int c = 0; c < columns; ++c) y[c] = expf(x[c] - m) / d;
}

__global__ void softmaxWarp(const float* x, float* y, int rows, int columns) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;  // one warp in x
  if (r >= rows) return;
  x += r * columns, y += r * columns;
  MaxSum total{-INFINITY, 0.f};
  for (int c = threadIdx.x; c < columns; c += 32) total = combine(total, {x[c], 1.f});
  for (int o = 16; o > 0; o >>= 1) {
    MaxSum other;
    other.m = __shfl_xor_sync(0xffffffff, total.m, o);
    other.d = __shfl_xor_sync(0xffffffff, total.d, o);
    total = combine(total, other);
  }
  for (int c = threadIdx.x; c < columns; c += 32) y[c] = expf(x[c] - total.m) / total.d;
}

int main() {
  struct Size { int rows, columns; } sizes[] = {{45, 1}, {33, 17}, {10, 333}, {101, 64}};
  for (auto [rows, columns] : sizes) {
    int n = rows * columns;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = 40.f * std::sin(1.7f * i) + (i % 5 == 0 ? 60.f : 0.f);
    float *dx, *dy;
    CUDA_CHECK(cudaMalloc(&dx, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dy, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int form = 0; form < 2; ++form) {
      CUDA_CHECK(cudaMemset(dy, 0xff, n * sizeof(float)));  // NaN
      if (form == 0)
        softmaxThread<<<(rows + 31) / 32, 32>>>(dx, dy, rows, columns);
      else
        softmaxWarp<<<(rows + 3) / 4, dim3(32, 4)>>>(dx, dy, rows, columns);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
      for (int r = 0; r < rows; ++r) {
        double m = -1e300, d = 0;
        for (int c = 0; c < columns; ++c) m = std::fmax(m, x[r * columns + c]);
        for (int c = 0; c < columns; ++c) d += std::exp(x[r * columns + c] - m);
        for (int c = 0; c < columns; ++c) {
          double want = std::exp(x[r * columns + c] - m) / d;
          float got = y[r * columns + c];
          if (!(std::fabs(got - want) <= 1e-5 * want + 1e-12)) {
            std::printf("softmax_online: form %d, row %d, column %d: expected %g, got %g\n", form, r, c, want, got);
            return 1;
          }
        }
      }
    }
    CUDA_CHECK(cudaFree(dx));
    CUDA_CHECK(cudaFree(dy));
  }
  std::printf("softmax_online: ok\n");
}
