// A private histogram for each warp in dynamic shared memory, merged into the block's and then into the global one.
// The number of bins is a run-time value, and bin edges are floats.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

__host__ __device__ inline int binOf(float v, float low, float high, int bins) {
  if (!(v >= low) || v > high) return -1;  // NaN and what is outside
  int b = static_cast<int>((v - low) / (high - low) * bins);
  return b < bins ? b : bins - 1;
}

__global__ void histogram(const float* values, int n, float low, float high, int bins, unsigned* out, unsigned* ignored) {
  extern __shared__ unsigned shared[];
  const int warps = blockDim.x / warpSize;
  unsigned* mine = shared + threadIdx.x / warpSize * bins;
  for (int i = threadIdx.x; i < bins * warps; i += blockDim.x) shared[i] = 0u;
  __syncthreads();

  int skipped = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int b = binOf(values[i], low, high, bins);
    if (b < 0)
      ++skipped;
    else
      atomicAdd(&mine[b], 1u);
  }
  if (skipped) atomicAdd(ignored, skipped);
  __syncthreads();

  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < warps; ++w) sum += shared[w * bins + b];
    if (sum) atomicAdd(&out[b], sum);
  }
}

#define RT(call)                                                                  \
  do {                                                                            \
    if (cudaError_t e = (call); e != cudaSuccess) {                               \
      std::fprintf(stderr, #call " -> %s\n", cudaGetErrorName(e));                \
      std::exit(EXIT_FAILURE);                                                    \
    }                                                                             \
  } while (0)

int main() {
  const int n = 15007;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = std::sin(0.001f * i * i) * 1.1f;
  values[17] = NAN;
  values[18] = 1.0f;
  values[19] = -INFINITY;

  for (int bins : {1, 10, 33, 300}) {
    float* dv;
    unsigned* dc;
    RT(cudaMalloc(&dv, n * sizeof(float)));
    RT(cudaMalloc(&dc, (bins + 1) * sizeof(unsigned)));
    RT(cudaMemcpy(dv, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    RT(cudaMemset(dc, 0, (bins + 1) * sizeof(unsigned)));
    const int threads = 128;
    histogram<<<9, threads, threads / 32 * bins * sizeof(unsigned)>>>(dv, n, -1.0f, 1.0f, bins, dc, dc + bins);
    RT(cudaGetLastError());
    std::vector<unsigned> got(bins + 1), want(bins + 1);
    RT(cudaMemcpy(got.data(), dc, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    RT(cudaFree(dv));
    RT(cudaFree(dc));

    // A value on the edge between two bins may fall on either side, since the device may round the division differently.
    std::vector<unsigned> slack(bins + 1);
    for (float v : values) {
      const int b = binOf(v, -1.0f, 1.0f, bins);
      ++want[b < 0 ? bins : b];
      if (b < 0) continue;
      const double exact = (v + 1.0) / 2 * bins, nearest = std::round(exact);
      if (std::fabs(exact - nearest) < 1e-4 * bins) ++slack[b], ++slack[b > 0 ? b - 1 : 0], ++slack[b + 1 < bins ? b + 1 : b];
    }
    for (int b = 0; b <= bins; ++b) {
      const unsigned apart = got[b] > want[b] ? got[b] - want[b] : want[b] - got[b];
      if (apart > slack[b]) {
        std::printf("histogram_shared: bin %d of %d: expected %u, got %u\n", b, bins, want[b], got[b]);
        return 1;
      }
    }
    if (std::accumulate(got.begin(), got.end(), 0u) != unsigned(n)) {
      std::printf("histogram_shared: all %d bins: expected %d, got %u\n", bins, n, std::accumulate(got.begin(), got.end(), 0u));
      return 1;
    }
  }
  std::puts("histogram_shared: ok");
}
