// Attention by tiles of keys and values in shared memory with an online softmax, causal or not.
// A block has one head's tile of queries, a thread one query.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(call)                                                                        \
  if (cudaError_t e = (call)) {                                                              \
    std::fprintf(stderr, "flash_attention.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));    \
    std::exit(1);                                                                            \
  }

template <int D, int TILE, bool CAUSAL>
__global__ void attention(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
                          float* __restrict__ O, float* __restrict__ logSum, int length, float scale) {
  __shared__ float k[TILE][D];
  __shared__ float v[TILE][D + 1];

  const int head = blockIdx.y;
  const int query = blockIdx.x * TILE + threadIdx.x;
  const bool live = query < length;
  const size_t base = (size_t)head * length * D;

  float q[D], acc[D] = {};
  if (live)
#pragma unroll
    for (int d = 0; d < D; ++d) q[d] = Q[base + (size_t)query * D + d] * scale;
  float m = -INFINITY, l = 0.f;

  const int lastKey = CAUSAL ? min(length, (int)(blockIdx.x + 1) * TILE) : length;
  for (int start = 0; start < lastKey; start += TILE) {
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * D; i += TILE) {
      const int row = i / D, d = i % D;
      const bool there = start + row < length;
      k[row][d] = there ? K[base + (size_t)(start + row) * D + d] : 0.f;
      v[row][d] = there ? V[base + (size_t)(start + row) * D + d] : 0.f;
    }
    __syncthreads();
    if (!live) continue;

    float s[TILE];
    float tileMax = -INFINITY;
    for (int j = 0; j < TILE; ++j) {
      const int key = start + j;
      if (key >= length || (CAUSAL && key > query)) {
        s[j] = -INFINITY;
        continue;
      }
      float dot = 0.f;
#pragma unroll
      for (int d = 0; d < D; ++d) dot = fmaf(q[d], k[j][d], dot);
      s[j] = dot;
      tileMax = fmaxf(tileMax, dot);
    }
    const float newM = fmaxf(m, tileMax);
    const float keep = m == -INFINITY ? 0.f : expf(m - newM);
    l *= keep;
    for (int d = 0; d < D; ++d) acc[d] *= keep;
    for (int j = 0; j < TILE; ++j) {
      const float p = expf(s[j] - newM);
      l += p;
      for (int d = 0; d < D; ++d) acc[d] += p * v[j][d];
    }
    m = newM;
  }
  if (live) {
    for (int d = 0; d < D; ++d) O[base + (size_t)query * D + d] = acc[d] / l;
    logSum[head * length + query] = m + logf(l);
  }
}

template <int D, int TILE, bool CAUSAL>
bool matches(int heads, int length) {
  const int n = heads * length * D;
  std::vector<float> q(n), k(n), v(n), o(n), ls(heads * length);
  for (int i = 0; i < n; ++i) q[i] = std::sin(i * 0.7f) * 2, k[i] = std::cos(i * 0.3f), v[i] = std::sin(i * 0.05f + 1);
  const float scale = 1 / std::sqrt((float)D);
  float *dq, *dk, *dv, *dO, *dls;
  CUDA_OK(cudaMalloc(&dq, n * sizeof(float)));
  CUDA_OK(cudaMalloc(&dk, n * sizeof(float)));
  CUDA_OK(cudaMalloc(&dv, n * sizeof(float)));
  CUDA_OK(cudaMalloc(&dO, n * sizeof(float)));
  CUDA_OK(cudaMalloc(&dls, heads * length * sizeof(float)));
  CUDA_OK(cudaMemcpy(dq, q.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(dk, k.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(dv, v.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  attention<D, TILE, CAUSAL><<<dim3((length + TILE - 1) / TILE, heads), TILE>>>(dq, dk, dv, dO, dls, length, scale);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(o.data(), dO, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(ls.data(), dls, heads * length * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* p : {dq, dk, dv, dO, dls}) CUDA_OK(cudaFree(p));

  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < length; ++i) {
      const int keys = CAUSAL ? i + 1 : length;
      std::vector<double> s(keys), out(D);
      double top = -1e300, sum = 0;
      for (int j = 0; j < keys; ++j) {
        for (int d = 0; d < D; ++d) s[j] += (double)q[(h * length + i) * D + d] * k[(h * length + j) * D + d] * scale;
        top = std::fmax(top, s[j]);
      }
      for (int j = 0; j < keys; ++j) {
        const double p = std::exp(s[j] - top);
        sum += p;
        for (int d = 0; d < D; ++d) out[d] += p * v[(h * length + j) * D + d];
      }
      for (int d = 0; d < D; ++d) {
        const int at = (h * length + i) * D + d;
        if (!(std::fabs(o[at] - out[d] / sum) <= 1e-4)) {
          std::printf("flash_attention: causal %d, head %d, query %d, %d: expected %g, got %g\n", CAUSAL, h, i, d, out[d] / sum,
                      o[at]);
          return false;
        }
      }
      if (!(std::fabs(ls[h * length + i] - (top + std::log(sum))) <= 1e-4)) {
        std::printf("flash_attention: log-sum of head %d, query %d: expected %g, got %g\n", h, i, top + std::log(sum),
                    ls[h * length + i]);
        return false;
      }
    }
  return true;
}

int main() {
  if (!matches<16, 32, false>(3, 75) || !matches<16, 32, true>(2, 75) || !matches<8, 64, true>(1, 130)) return 1;
  std::printf("flash_attention: ok\n");
  return 0;
}
