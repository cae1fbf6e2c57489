// A program of several files: kernels, device functions, constant and device variables are defined in kernels.cu and
// used here. Build: nvcc -rdc=true main.cu kernels.cu
#include "kernels.cuh"

#include <cmath>
#include <vector>

using signal::Filter;

// Calls a device function of the other file, and reads and writes its variables.
__global__ void mixed(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = signal::filterAt(in, n, i) * signal::gains[i % 4] + signal::filter.length;
  atomicAdd(&signal::samplesFiltered, 1);
}

__global__ void readOwn(int* out) { *out = signal::perFile; }

int main() {
  const int n = 1777;
  const Filter f = {{0.25f, 0.5f, 1.0f, -0.5f, 0.125f}, 5};
  std::vector<float> in(n), smooth(n), mixedOut(n);
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) in[i] = float(i * 31 % 64), numbers[i] = i - 800;

  float *dIn, *dSmooth, *dMixed;
  int *dNumbers, *dOwn;
  CUDA_CHECK(cudaMalloc(&dIn, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dSmooth, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dMixed, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dNumbers, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dOwn, sizeof(int)));
  CUDA_CHECK(cudaMemcpy(dIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dNumbers, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  signal::setFilter(f);
  signal::launchSmooth(dIn, dSmooth, n);
  float gain = 4.0f;
  CUDA_CHECK(cudaMemcpyToSymbol(signal::gains, &gain, sizeof gain, sizeof(float)));  // the second one
  mixed<<<(n + 127) / 128, 128>>>(dIn, dMixed, n);
  CUDA_CHECK(cudaGetLastError());
  signal::scale<float><<<(n + 127) / 128, 128>>>(dSmooth, n, 8.0f);
  CUDA_CHECK(cudaGetLastError());
  signal::scale<<<(n + 127) / 128, 128>>>(dNumbers, n, -3);
  CUDA_CHECK(cudaGetLastError());
  readOwn<<<1, 1>>>(dOwn);
  CUDA_CHECK(cudaGetLastError());

  std::vector<int> scaled(n);
  int filtered = 0, own = 0;
  CUDA_CHECK(cudaMemcpy(smooth.data(), dSmooth, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(mixedOut.data(), dMixed, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(scaled.data(), dNumbers, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(&own, dOwn, sizeof own, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpyFromSymbol(&filtered, signal::samplesFiltered, sizeof filtered));
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dSmooth));
  CUDA_CHECK(cudaFree(dMixed));
  CUDA_CHECK(cudaFree(dNumbers));
  CUDA_CHECK(cudaFree(dOwn));

  const float gains[4] = {1.0f, 4.0f, 2.0f, -1.0f};
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < 5; ++k) {
      int at = i + k - 2;
      at = at < 0 ? 0 : at >= n ? n - 1 : at;
      sum += f.taps[k] * in[at];  // eighths of whole numbers: exact
    }
    if (!(smooth[i] == sum * 8) || !(mixedOut[i] == sum * gains[i % 4] + 5) || scaled[i] != (i - 800) * -3) {
      std::printf("several_files: element %d: expected %g %g %d, got %g %g %d\n", i, sum * 8, sum * gains[i % 4] + 5, (i - 800) * -3,
                  smooth[i], mixedOut[i], scaled[i]);
      return 1;
    }
  }
  if (filtered != 2 * n || own != 1) {
    std::printf("several_files: counts: expected %d 1, got %d %d\n", 2 * n, filtered, own);
    return 1;
  }
  std::printf("several_files: ok\n");
  return 0;
}
