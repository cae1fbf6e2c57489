#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

__global__ void linspace(double* out, double first, double step, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = first + i * step;
}

int main() {
  const int count = 333;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  double* d_points = nullptr;
  CHECK(cudaMallocAsync(&d_points, count * sizeof(double), stream));
  linspace<<<3, 128, 0, stream>>>(d_points, -1.0, 2.0 / (count - 1), count);
  CHECK(cudaGetLastError());
  std::vector<double> points(count);
  CHECK(cudaMemcpyAsync(points.data(), d_points, count * sizeof(double), cudaMemcpyDeviceToHost,
                        stream));
  CHECK(cudaFreeAsync(d_points, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  if (failed) return 1;
  for (int i = 0; i < count; ++i) {
    double expected = -1.0 + i * (2.0 / (count - 1));
    if (!(std::fabs(points[i] - expected) < 1e-12)) {
      std::printf("point %d is %g, expected %g\n", i, points[i], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
