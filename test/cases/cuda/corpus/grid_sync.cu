// A cooperative launch whose grid is as large as the device holds: all steps of a wave equation in one kernel, with
// grid.sync() between them, then a sum over the grid.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(x)                                                                                  \
  do {                                                                                            \
    const cudaError_t code = (x);                                                                 \
    if (code != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "grid_sync.cu:%d: %s: %s\n", __LINE__, #x, cudaGetErrorString(code));  \
      std::exit(1);                                                                               \
    }                                                                                             \
  } while (false)

__global__ void wave(float* before, float* now, int n, int steps, float c, float* partial, float* total) {
  cg::grid_group grid = cg::this_grid();
  for (int s = 0; s < steps; ++s) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      const float left = i > 0 ? now[i - 1] : 0.f, right = i + 1 < n ? now[i + 1] : 0.f;
      before[i] = 2 * now[i] - before[i] + c * (left - 2 * now[i] + right);
    }
    grid.sync();
    float* swap = before;
    before = now;
    now = swap;
  }

  // each thread its own sum, then one thread of the grid adds them in order
  float sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += fabsf(now[i]);
  partial[grid.thread_rank()] = sum;
  cg::sync(grid);
  if (grid.thread_rank() == 0) {
    float all = 0;
    for (unsigned long long t = 0; t < grid.size(); ++t) all += partial[t];
    *total = all;
  }
}

int main() {
  int device, cooperative = 0, multiprocessors = 0, perMultiprocessor = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  if (!cooperative) {
    std::printf("grid_sync: the device has no cooperative launch\n");
    return 1;
  }
  const int threads = 64;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, wave, threads, 0));
  int blocks = multiprocessors * perMultiprocessor;
  if (blocks < 1) {
    std::printf("grid_sync: expected at least one block, got %d\n", blocks);
    return 1;
  }
  if (blocks > 12) blocks = 12;

  int n = 1501, steps = 31;
  float c = 0.25f;
  std::vector<float> start(n), got(n);
  for (int i = 0; i < n; ++i) start[i] = std::exp(-0.01f * (i - 700) * (i - 700));
  float *a, *b, *partial, *total;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  CHECK(cudaMalloc(&partial, blocks * threads * sizeof(float)));
  CHECK(cudaMalloc(&total, sizeof(float)));
  CHECK(cudaMemcpy(a, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  void* arguments[] = {&a, &b, &n, &steps, &c, &partial, &total};
  CHECK(cudaLaunchCooperativeKernel((void*)wave, dim3(blocks), dim3(threads), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  float sum;
  CHECK(cudaMemcpy(got.data(), steps % 2 ? a : b, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&sum, total, sizeof(float), cudaMemcpyDeviceToHost));
  for (float* p : {a, b, partial, total}) CHECK(cudaFree(p));

  std::vector<double> before(start.begin(), start.end()), now = before;
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i)
      before[i] = 2 * now[i] - before[i] + c * ((i > 0 ? now[i - 1] : 0) - 2 * now[i] + (i + 1 < n ? now[i + 1] : 0));
    std::swap(before, now);
  }
  double want = 0;
  for (int i = 0; i < n; ++i) {
    want += std::fabs(now[i]);
    if (!(std::fabs(got[i] - now[i]) <= 1e-4)) {
      std::printf("grid_sync: element %d: expected %g, got %g\n", i, now[i], got[i]);
      return 1;
    }
  }
  if (!(std::fabs(sum - want) <= 1e-2)) {
    std::printf("grid_sync: sum: expected %g, got %g\n", want, sum);
    return 1;
  }
  std::printf("grid_sync: ok\n");
  return 0;
}
