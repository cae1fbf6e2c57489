// k-means: assignment by the nearest centroid from constant memory; sums in shared and then in global memory,
// as fixed-point numbers, so that the order of additions has no effect.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

const int K = 6, DIM = 3;
typedef unsigned long long u64;

__constant__ float centroids[K][DIM];

struct Accumulator {
  long long sums[K][DIM];  // in 1/4096
  int counts[K];
  int moved, unused;
};

__global__ void assign(const float *points, int *labels, int n, Accumulator *total)
{
  __shared__ long long sums[K * DIM];
  __shared__ int counts[K];
  __shared__ int moved;
  for (int i = threadIdx.x; i < K * DIM; i += blockDim.x) sums[i] = 0;
  if (threadIdx.x < K) counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) moved = 0;
  __syncthreads();

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float p[DIM];
    for (int d = 0; d < DIM; ++d) p[d] = points[d * n + i];  // structure of arrays
    int best = 0;
    float least = 1e30f;
    for (int k = 0; k < K; ++k) {
      float distance = 0;
      for (int d = 0; d < DIM; ++d) distance += (p[d] - centroids[k][d]) * (p[d] - centroids[k][d]);
      if (distance < least) least = distance, best = k;
    }
    if (labels[i] != best) {
      labels[i] = best;
      atomicAdd(&moved, 1);
    }
    for (int d = 0; d < DIM; ++d)
      atomicAdd((u64 *)&sums[best * DIM + d], (u64)llrintf(p[d] * 4096.f));
    atomicAdd(&counts[best], 1);
  }
  __syncthreads();

  for (int j = threadIdx.x; j < K * DIM; j += blockDim.x)
    if (sums[j]) atomicAdd((u64 *)&total->sums[j / DIM][j % DIM], (u64)sums[j]);
  if (threadIdx.x < K && counts[threadIdx.x]) atomicAdd(&total->counts[threadIdx.x], counts[threadIdx.x]);
  if (threadIdx.x == 0 && moved) atomicAdd(&total->moved, moved);
}

static void no_error(cudaError_t e) { if (e) { fprintf(stderr, "kmeans: %s\n", cudaGetErrorString(e)); exit(1); } }

int main()
{
  const int n = 2500;
  std::vector<float> points(DIM * n);
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < DIM; ++d)  // six clouds, coordinates in 1/64: distances are exact
      points[d * n + i] = ((i % K) * (d + 2) % 5) * 8.f + ((i * (7 + 6 * d) * 31 + d * i / 6) % 400) / 64.f;
  float start[K][DIM];
  for (int k = 0; k < K; ++k)
    for (int d = 0; d < DIM; ++d) start[k][d] = points[d * n + k * 17];

  float *dPoints;
  int *dLabels;
  Accumulator *dTotal, total;
  no_error(cudaMalloc(&dPoints, points.size() * sizeof(float)));
  no_error(cudaMalloc(&dLabels, n * sizeof(int)));
  no_error(cudaMalloc(&dTotal, sizeof total));
  no_error(cudaMemcpy(dPoints, points.data(), points.size() * sizeof(float), cudaMemcpyHostToDevice));
  no_error(cudaMemset(dLabels, 0xff, n * sizeof(int)));

  float gpu[K][DIM], cpu[K][DIM];
  memcpy(gpu, start, sizeof gpu);
  memcpy(cpu, start, sizeof cpu);
  std::vector<int> labels(n), want(n, -1);
  auto move = [](float (&c)[K][DIM], const Accumulator &a) {
    for (int k = 0; k < K; ++k)
      for (int d = 0; d < DIM; ++d)
        if (a.counts[k]) c[k][d] = roundf((float)a.sums[k][d] / a.counts[k] / 64.f) / 64.f;
  };
  int round = 0;
  for (;; ++round) {
    no_error(cudaMemcpyToSymbol(centroids, gpu, sizeof gpu));
    no_error(cudaMemset(dTotal, 0, sizeof total));
    assign<<<(n + 95) / 96, 96>>>(dPoints, dLabels, n, dTotal);
    no_error(cudaGetLastError());
    no_error(cudaMemcpy(&total, dTotal, sizeof total, cudaMemcpyDeviceToHost));
    no_error(cudaMemcpy(labels.data(), dLabels, n * sizeof(int), cudaMemcpyDeviceToHost));

    Accumulator a;
    memset(&a, 0, sizeof a);
    for (int i = 0; i < n; ++i) {
      int best = 0;
      float least = 1e30f;
      for (int k = 0; k < K; ++k) {
        float distance = 0;
        for (int d = 0; d < DIM; ++d) distance += (points[d * n + i] - cpu[k][d]) * (points[d * n + i] - cpu[k][d]);
        if (distance < least) least = distance, best = k;
      }
      a.moved += want[i] != best;
      want[i] = best;
      a.counts[best]++;
      for (int d = 0; d < DIM; ++d) a.sums[best][d] += (long long)(points[d * n + i] * 4096.f);
      if (labels[i] != best) { printf("kmeans: round %d, label %d: expected %d, got %d\n", round, i, best, labels[i]); return 1; }
    }
    for (int k = 0; k < K; ++k) {
      if (total.counts[k] != a.counts[k]) { printf("kmeans: round %d, count %d: expected %d, got %d\n", round, k, a.counts[k], total.counts[k]); return 1; }
      for (int d = 0; d < DIM; ++d)
        if (total.sums[k][d] != a.sums[k][d]) { printf("kmeans: round %d, sum %d: expected %lld, got %lld\n", round, k * DIM + d, a.sums[k][d], total.sums[k][d]); return 1; }
    }
    if (total.moved != a.moved) { printf("kmeans: round %d, moved: expected %d, got %d\n", round, a.moved, total.moved); return 1; }
    if (total.moved == 0 || round == 12) break;
    move(gpu, total);
    move(cpu, a);
  }
  if (round < 2) { printf("kmeans: expected several rounds, got %d\n", round); return 1; }
  no_error(cudaFree(dPoints));
  no_error(cudaFree(dLabels));
  no_error(cudaFree(dTotal));
  printf("kmeans: ok\n");
  return 0;
}
