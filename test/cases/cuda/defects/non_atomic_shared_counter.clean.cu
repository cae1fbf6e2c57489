#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

// How many points of each block's batch lie in the unit circle.
__global__ void count_inside(const float2* points, int n, int* inside) {
  __shared__ int hits;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 p = points[i];
    if (p.x * p.x + p.y * p.y < 1.0f) atomicAdd(&hits, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) inside[blockIdx.x] = hits;
}

int main() {
  const int side = 50, n = side * side, blocks = (n + 255) / 256;
  std::vector<float2> points(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    points[i] = make_float2((i % side) / 40.0f, (i / side) / 40.0f);
    expected += (i % side) * (i % side) + (i / side) * (i / side) < 1600;
  }
  float2* d_points = nullptr;
  int* d_inside = nullptr;
  std::vector<int> inside(blocks);
  CHECK(cudaMalloc(&d_points, n * sizeof(float2)));
  CHECK(cudaMalloc(&d_inside, blocks * sizeof(int)));
  CHECK(cudaMemcpy(d_points, points.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
  count_inside<<<blocks, 256>>>(d_points, n, d_inside);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(inside.data(), d_inside, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_points));
  CHECK(cudaFree(d_inside));
  int total = 0;
  for (int count : inside)
    total += count;
  if (failed || total < expected - 8 || total > expected + 8) {
    std::printf("%d points inside, expected %d\n", total, expected);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
