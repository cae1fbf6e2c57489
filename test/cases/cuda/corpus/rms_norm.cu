// RMS norm on half values with sums in float, vectorised by half2; and its backward in float with an atomic per column.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDACHECK(cmd) do {                         \
  cudaError_t err = cmd;                            \
  if (err != cudaSuccess) {                         \
    printf("Failed: Cuda error %s:%d '%s'\n",       \
        __FILE__,__LINE__,cudaGetErrorString(err)); \
    exit(EXIT_FAILURE);                             \
  }                                                 \
} while(0)

template <int BLOCK>
__device__ float block_sum(float v) {
  __shared__ float part[BLOCK / 32];
  __shared__ float total;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0;
    for (int w = 0; w < BLOCK / 32; ++w) t += part[w];
    total = t;
  }
  __syncthreads();
  float t = total;
  __syncthreads();
  return t;
}

template <int BLOCK>
__global__ void rms_forward(const half2* x, const half2* w, half2* y, float* scale, int pairs, float eps) {
  const half2* row = x + blockIdx.x * pairs;
  float ss = 0;
  for (int i = threadIdx.x; i < pairs; i += BLOCK) {
    float2 f = __half22float2(row[i]);
    ss += f.x * f.x + f.y * f.y;
  }
  float s = rsqrtf(block_sum<BLOCK>(ss) / (2 * pairs) + eps);
  for (int i = threadIdx.x; i < pairs; i += BLOCK) {
    float2 f = __half22float2(row[i]), g = __half22float2(w[i]);
    y[blockIdx.x * pairs + i] = __floats2half2_rn(f.x * s * g.x, f.y * s * g.y);
  }
  if (threadIdx.x == 0) scale[blockIdx.x] = s;
}

template <int BLOCK>
__global__ void rms_backward(const float* x, const float* w, const float* dy, const float* scale, float* dx, double* dw,
                             int columns) {
  const int base = blockIdx.x * columns;
  const float s = scale[blockIdx.x];
  float dot = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) dot += dy[base + c] * w[c] * x[base + c];
  dot = block_sum<BLOCK>(dot);
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    dx[base + c] = s * (dy[base + c] * w[c] - x[base + c] * s * s * dot / columns);
    // Each term is a multiple of 2^-16, so that their sum is exact in double in any order.
    atomicAdd(&dw[c], rint((double)dy[base + c] * x[base + c] * s * 65536.0) / 65536.0);
  }
}

int main() {
  constexpr int B = 96;
  const int rows = 19, columns = 250, n = rows * columns;
  const float eps = 1e-6f;
  std::vector<half> hx(n), hw(columns), hy(n);
  std::vector<float> x(n), w(columns), dy(n), scale(rows), dx(n);
  std::vector<double> dw(columns);
  for (int i = 0; i < n; ++i) {
    hx[i] = __float2half(std::sin(0.11f * i) * 2);
    x[i] = __half2float(hx[i]);
    dy[i] = std::cos(0.23f * i);
  }
  for (int c = 0; c < columns; ++c) {
    hw[c] = __float2half(0.5f + c / 256.0f);
    w[c] = __half2float(hw[c]);
  }

  half *dhx, *dhw, *dhy;
  float *dX, *dW, *dDy, *dScale, *dDx;
  double *dDw;
  CUDACHECK(cudaMalloc(&dhx, n * sizeof(half)));
  CUDACHECK(cudaMalloc(&dhw, columns * sizeof(half)));
  CUDACHECK(cudaMalloc(&dhy, n * sizeof(half)));
  CUDACHECK(cudaMalloc(&dX, n * sizeof(float)));
  CUDACHECK(cudaMalloc(&dW, columns * sizeof(float)));
  CUDACHECK(cudaMalloc(&dDy, n * sizeof(float)));
  CUDACHECK(cudaMalloc(&dScale, rows * sizeof(float)));
  CUDACHECK(cudaMalloc(&dDx, n * sizeof(float)));
  CUDACHECK(cudaMalloc(&dDw, columns * sizeof(double)));
  CUDACHECK(cudaMemcpy(dhx, hx.data(), n * sizeof(half), cudaMemcpyHostToDevice));
  CUDACHECK(cudaMemcpy(dhw, hw.data(), columns * sizeof(half), cudaMemcpyHostToDevice));
  CUDACHECK(cudaMemcpy(dX, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDACHECK(cudaMemcpy(dW, w.data(), columns * sizeof(float), cudaMemcpyHostToDevice));
  CUDACHECK(cudaMemcpy(dDy, dy.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDACHECK(cudaMemset(dDw, 0, columns * sizeof(double)));

  rms_forward<B><<<rows, B>>>(reinterpret_cast<const half2*>(dhx), reinterpret_cast<const half2*>(dhw),
                              reinterpret_cast<half2*>(dhy), dScale, columns / 2, eps);
  CUDACHECK(cudaGetLastError());
  rms_backward<B><<<rows, B>>>(dX, dW, dDy, dScale, dDx, dDw, columns);
  CUDACHECK(cudaGetLastError());

  CUDACHECK(cudaMemcpy(hy.data(), dhy, n * sizeof(half), cudaMemcpyDeviceToHost));
  CUDACHECK(cudaMemcpy(scale.data(), dScale, rows * sizeof(float), cudaMemcpyDeviceToHost));
  CUDACHECK(cudaMemcpy(dx.data(), dDx, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDACHECK(cudaMemcpy(dw.data(), dDw, columns * sizeof(double), cudaMemcpyDeviceToHost));
  for (void* p : {(void*)dhx, (void*)dhw, (void*)dhy, (void*)dX, (void*)dW, (void*)dDy, (void*)dScale, (void*)dDx, (void*)dDw})
    CUDACHECK(cudaFree(p));

  std::vector<double> wantDw(columns);
  for (int r = 0; r < rows; ++r) {
    double ss = 0, dot = 0;
    for (int c = 0; c < columns; ++c) {
      double v = x[r * columns + c];
      ss += v * v;
      dot += (double)dy[r * columns + c] * w[c] * v;
    }
    double s = 1 / std::sqrt(ss / columns + eps);
    if (!(std::fabs(scale[r] - s) <= 1e-5)) {
      printf("rms_norm: scale %d: expected %g, got %g\n", r, s, scale[r]);
      return 1;
    }
    for (int c = 0; c < columns; ++c) {
      int i = r * columns + c;
      double y = x[i] * s * w[c], g = s * (dy[i] * w[c] - x[i] * s * s * dot / columns);
      if (!(std::fabs(__half2float(hy[i]) - y) <= 1e-3 * (std::fabs(y) + 0.1))) {
        printf("rms_norm: y %d: expected %g, got %g\n", i, y, __half2float(hy[i]));
        return 1;
      }
      if (!(std::fabs(dx[i] - g) <= 1e-4)) {
        printf("rms_norm: dx %d: expected %g, got %g\n", i, g, dx[i]);
        return 1;
      }
      wantDw[c] += dy[i] * x[i] * s;
    }
  }
  for (int c = 0; c < columns; ++c)
    if (!(std::fabs(dw[c] - wantDw[c]) <= 1e-3)) {
      printf("rms_norm: dw %d: expected %g, got %g\n", c, wantDw[c], dw[c]);
      return 1;
    }
  printf("rms_norm: ok\n");
  return 0;
}
