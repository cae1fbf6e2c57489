// Max pooling with the index of each maximum, overlapping windows and padding; the gradient goes back to these indices.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <vector>

#define CUDA_1D_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)

template <typename scalar_t>
__global__ void max_pool_forward(const int nthreads, const scalar_t* bottom, const int height, const int width,
                                 const int pooled_height, const int pooled_width, const int kernel, const int stride,
                                 const int pad, scalar_t* top, int* mask) {
  CUDA_1D_KERNEL_LOOP(index, nthreads) {
    const int pw = index % pooled_width;
    const int ph = (index / pooled_width) % pooled_height;
    const int plane = index / pooled_width / pooled_height;
    int hstart = ph * stride - pad, wstart = pw * stride - pad;
    const int hend = min(hstart + kernel, height), wend = min(wstart + kernel, width);
    hstart = max(hstart, 0);
    wstart = max(wstart, 0);
    scalar_t maxval = -FLT_MAX;
    int maxidx = -1;
    const scalar_t* slice = bottom + plane * height * width;
    for (int h = hstart; h < hend; ++h) {
      for (int w = wstart; w < wend; ++w) {
        if (slice[h * width + w] > maxval) {
          maxidx = h * width + w;
          maxval = slice[maxidx];
        }
      }
    }
    top[index] = maxval;
    mask[index] = maxidx;
  }
}

template <typename scalar_t>
__global__ void max_pool_backward(const int nthreads, const scalar_t* top_diff, const int* mask, const int size,
                                  const int pooled_size, scalar_t* bottom_diff) {
  CUDA_1D_KERNEL_LOOP(index, nthreads) {
    atomicAdd(bottom_diff + index / pooled_size * size + mask[index], top_diff[index]);
  }
}

inline void succeed(cudaError_t status, const char* expression, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "max_pool.cu:%d: %s: %s\n", line, expression, cudaGetErrorString(status));
    std::abort();
  }
}
#define SUCCEED(...) succeed((__VA_ARGS__), #__VA_ARGS__, __LINE__)

int main() {
  const int planes = 5, height = 23, width = 30, size = height * width;
  for (auto [kernel, stride, pad] : {std::tuple<int, int, int>{2, 2, 0}, {3, 2, 1}, {4, 1, 2}}) {
    const int ph = (height + 2 * pad - kernel) / stride + 1, pw = (width + 2 * pad - kernel) / stride + 1;
    const int n = planes * ph * pw;
    std::vector<float> x(planes * size), y(n), g(n), dx(planes * size);
    std::vector<int> mask(n);
    for (int i = 0; i < planes * size; ++i) x[i] = (i * 73 % 211) - 100.f;  // ties within a window happen
    for (int i = 0; i < n; ++i) g[i] = i % 9 - 4.f;

    float *dX, *dY, *dG, *dDx;
    int* dMask;
    SUCCEED(cudaMalloc(&dX, x.size() * sizeof(float)));
    SUCCEED(cudaMalloc(&dY, n * sizeof(float)));
    SUCCEED(cudaMalloc(&dG, n * sizeof(float)));
    SUCCEED(cudaMalloc(&dDx, x.size() * sizeof(float)));
    SUCCEED(cudaMalloc(&dMask, n * sizeof(int)));
    SUCCEED(cudaMemcpy(dX, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    SUCCEED(cudaMemcpy(dG, g.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    SUCCEED(cudaMemset(dDx, 0, x.size() * sizeof(float)));
    max_pool_forward<float><<<8, 128>>>(n, dX, height, width, ph, pw, kernel, stride, pad, dY, dMask);
    SUCCEED(cudaGetLastError());
    max_pool_backward<float><<<8, 128>>>(n, dG, dMask, size, ph * pw, dDx);
    SUCCEED(cudaGetLastError());
    SUCCEED(cudaMemcpy(y.data(), dY, n * sizeof(float), cudaMemcpyDeviceToHost));
    SUCCEED(cudaMemcpy(mask.data(), dMask, n * sizeof(int), cudaMemcpyDeviceToHost));
    SUCCEED(cudaMemcpy(dx.data(), dDx, dx.size() * sizeof(float), cudaMemcpyDeviceToHost));
    SUCCEED(cudaFree(dX));
    SUCCEED(cudaFree(dY));
    SUCCEED(cudaFree(dG));
    SUCCEED(cudaFree(dDx));
    SUCCEED(cudaFree(dMask));

    std::vector<float> want(planes * size);
    for (int i = 0; i < n; ++i) {
      const int p = i / (ph * pw), py = i / pw % ph, px = i % pw;
      int best = -1;
      for (int h = py * stride - pad; h < py * stride - pad + kernel; ++h)
        for (int w = px * stride - pad; w < px * stride - pad + kernel; ++w) {
          if (h < 0 || w < 0 || h >= height || w >= width) continue;
          if (best < 0 || x[p * size + h * width + w] > x[p * size + best]) best = h * width + w;
        }
      if (mask[i] != best || !(y[i] == x[p * size + best])) {
        std::printf("max_pool: window %d of kernel %d: expected %g at %d, got %g at %d\n", i, kernel, x[p * size + best], best, y[i],
                    mask[i]);
        return 1;
      }
      want[p * size + best] += g[i];
    }
    for (int i = 0; i < planes * size; ++i)
      if (!(dx[i] == want[i])) {
        std::printf("max_pool: gradient %d of kernel %d: expected %g, got %g\n", i, kernel, want[i], dx[i]);
        return 1;
      }
  }
  std::printf("max_pool: ok\n");
  return 0;
}
