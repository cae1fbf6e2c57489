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

__global__ void add_to_centers(const float* points, int n, const float* centers, int k, float* sums,
                               int* counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int nearest = 0;
  for (int c = 1; c < k; ++c)
    if (fabsf(points[i] - centers[c]) < fabsf(points[i] - centers[nearest])) nearest = c;
  atomicAdd(&sums[nearest], points[i]);
  atomicAdd(&counts[nearest], 1);
}

int main() {
  const int n = 1200, k = 3;
  const float centers[k] = {0.0f, 40.0f, 90.0f};
  std::vector<float> points(n), sums(k);
  std::vector<int> counts(k);
  for (int i = 0; i < n; ++i)
    points[i] = static_cast<float>(i * 7 % 100);

  float *d_points = nullptr, *d_centers = nullptr, *d_sums = nullptr;
  int* d_counts = nullptr;
  CHECK(cudaMalloc(&d_points, n * sizeof(float)));
  CHECK(cudaMalloc(&d_centers, k * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, k * sizeof(float)));
  CHECK(cudaMalloc(&d_counts, k * sizeof(int)));
  CHECK(cudaMemcpy(d_points, points.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_centers, centers, sizeof(centers), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_sums, 0, k * sizeof(float)));
  CHECK(cudaMemset(d_counts, 0, k * sizeof(int)));
  add_to_centers<<<(n + 127) / 128, 128>>>(d_points, n, d_centers, k, d_sums, d_counts);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), d_sums, k * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(counts.data(), d_counts, k * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_points));
  CHECK(cudaFree(d_centers));
  CHECK(cudaFree(d_sums));
  CHECK(cudaFree(d_counts));

  double sum = 0, expected = 0;
  int count = 0;
  for (int c = 0; c < k; ++c) {
    sum += sums[c];
    count += counts[c];
  }
  for (float point : points)
    expected += point;
  if (failed || count != n || !(std::fabs(sum - expected) < 1.0)) {
    std::printf("sum is %g, expected %g\n", sum, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
