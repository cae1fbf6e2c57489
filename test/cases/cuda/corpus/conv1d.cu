// Batched 1-D convolution with channels, stride, padding and dilation; its gradients by gathering, so without atomics.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Conv {
  int batch, in, out, length, kernel, stride, padding, dilation;
  __host__ __device__ constexpr int outLength() const {
    return (length + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

#define FOR_EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x, end_ = (n); i < end_; i += gridDim.x * blockDim.x)

__global__ void forward(const Conv c, const float* x, const float* w, const float* bias, float* y) {
  FOR_EACH(i, c.batch * c.out * c.outLength()) {
    const int t = i % c.outLength(), o = i / c.outLength() % c.out, b = i / c.outLength() / c.out;
    float sum = bias ? bias[o] : 0.f;
    for (int ch = 0; ch < c.in; ++ch)
      for (int k = 0; k < c.kernel; ++k) {
        const int p = t * c.stride - c.padding + k * c.dilation;
        if (p >= 0 && p < c.length) sum += x[(b * c.in + ch) * c.length + p] * w[(o * c.in + ch) * c.kernel + k];
      }
    y[i] = sum;
  }
}

__global__ void backwardInput(const Conv c, const float* dy, const float* w, float* dx) {
  FOR_EACH(i, c.batch * c.in * c.length) {
    const int p = i % c.length, ch = i / c.length % c.in, b = i / c.length / c.in;
    float sum = 0;
    for (int k = 0; k < c.kernel; ++k) {
      const int at = p + c.padding - k * c.dilation;
      if (at < 0 || at % c.stride || at / c.stride >= c.outLength()) continue;
      for (int o = 0; o < c.out; ++o)
        sum += dy[(b * c.out + o) * c.outLength() + at / c.stride] * w[(o * c.in + ch) * c.kernel + k];
    }
    dx[i] = sum;
  }
}

// one warp for each weight
__global__ void backwardWeight(const Conv c, const float* x, const float* dy, float* dw) {
  const int i = blockIdx.x, k = i % c.kernel, ch = i / c.kernel % c.in, o = i / c.kernel / c.in;
  float sum = 0;
  for (int j = threadIdx.x; j < c.batch * c.outLength(); j += 32) {
    const int b = j / c.outLength(), t = j % c.outLength(), p = t * c.stride - c.padding + k * c.dilation;
    if (p >= 0 && p < c.length) sum += x[(b * c.in + ch) * c.length + p] * dy[(b * c.out + o) * c.outLength() + t];
  }
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xFFFFFFFF, sum, d);
  if (threadIdx.x == 0) dw[i] = sum;
}

void check(cudaError_t e, const char* f, int l) { if (e) { printf("%s:%d %s\n", f, l, cudaGetErrorName(e)); exit(1); } }
#define C(e) check(e, __FILE__, __LINE__)

bool same(const char* what, const std::vector<double>& want, float* device) {
  std::vector<float> got(want.size());
  C(cudaMemcpy(got.data(), device, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  C(cudaFree(device));
  for (size_t i = 0; i < want.size(); ++i)
    if (!(std::fabs(got[i] - want[i]) <= 1e-4)) {
      printf("conv1d: %s %zu: expected %g, got %g\n", what, i, want[i], got[i]);
      return false;
    }
  return true;
}

int main() {
  for (Conv c : {Conv{2, 3, 4, 37, 5, 1, 2, 1}, Conv{1, 2, 3, 50, 3, 2, 0, 3}, Conv{3, 1, 1, 9, 4, 3, 4, 1}}) {
    const int nx = c.batch * c.in * c.length, nw = c.out * c.in * c.kernel, ny = c.batch * c.out * c.outLength();
    std::vector<float> x(nx), w(nw), bias(c.out), g(ny);
    for (int i = 0; i < nx; ++i) x[i] = std::sin(i * 0.7f);
    for (int i = 0; i < nw; ++i) w[i] = std::cos(i * 1.3f);
    for (int i = 0; i < c.out; ++i) bias[i] = i - 1.5f;
    for (int i = 0; i < ny; ++i) g[i] = std::sin(i * 0.31f + 2);
    float *dx, *dw, *db, *dy, *dg, *gx, *gw;
    C(cudaMalloc(&dx, nx * 4)); C(cudaMalloc(&dw, nw * 4)); C(cudaMalloc(&db, c.out * 4)); C(cudaMalloc(&dy, ny * 4));
    C(cudaMalloc(&dg, ny * 4)); C(cudaMalloc(&gx, nx * 4)); C(cudaMalloc(&gw, nw * 4));
    C(cudaMemcpy(dx, x.data(), nx * 4, cudaMemcpyHostToDevice));
    C(cudaMemcpy(dw, w.data(), nw * 4, cudaMemcpyHostToDevice));
    C(cudaMemcpy(db, bias.data(), c.out * 4, cudaMemcpyHostToDevice));
    C(cudaMemcpy(dg, g.data(), ny * 4, cudaMemcpyHostToDevice));
    const bool withBias = c.batch != 3;
    forward<<<2, 64>>>(c, dx, dw, withBias ? db : nullptr, dy);
    C(cudaGetLastError());
    backwardInput<<<3, 64>>>(c, dg, dw, gx);
    C(cudaGetLastError());
    backwardWeight<<<nw, 32>>>(c, dx, dg, gw);
    C(cudaGetLastError());

    std::vector<double> y(ny), wantX(nx), wantW(nw);
    for (int i = 0; i < ny; ++i) {
      const int t = i % c.outLength(), o = i / c.outLength() % c.out, b = i / c.outLength() / c.out;
      y[i] = withBias ? bias[o] : 0;
      for (int ch = 0; ch < c.in; ++ch)
        for (int k = 0; k < c.kernel; ++k) {
          const int p = t * c.stride - c.padding + k * c.dilation, xi = (b * c.in + ch) * c.length + p, wi = (o * c.in + ch) * c.kernel + k;
          if (p < 0 || p >= c.length) continue;
          y[i] += (double)x[xi] * w[wi];
          wantX[xi] += (double)g[i] * w[wi];
          wantW[wi] += (double)g[i] * x[xi];
        }
    }
    C(cudaFree(dx)); C(cudaFree(dw)); C(cudaFree(db)); C(cudaFree(dg));
    if (!same("output", y, dy) || !same("gradient of the input", wantX, gx) || !same("gradient of the weight", wantW, gw)) return 1;
  }
  printf("conv1d: ok\n");
}
