// An embedding table: lookup with float4 loads and a padding index, a bag that averages, and the gradient of the
// table, summed over sorted indices by one warp for each distinct index.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static inline void throwIf(cudaError_t e, const char* s) { if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", s, cudaGetErrorString(e)); std::exit(1); } }
#define RUN(x) throwIf((x), #x)

constexpr int DIM = 20;       // floats of a row, five float4
constexpr int WORDS = 41;
constexpr int PADDING = 7;

__global__ void lookup(const float4* __restrict__ table, const int* __restrict__ ids, float4* __restrict__ out, int count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * (DIM / 4)) return;
  int id = ids[i / (DIM / 4)];
  out[i] = id == PADDING ? make_float4(0, 0, 0, 0) : __ldg(&table[id * (DIM / 4) + i % (DIM / 4)]);
}

__global__ void bagMean(const float* table, const int* ids, const int* offsets, float* out, int bags)
{
  int bag = blockIdx.x;
  int from = offsets[bag], to = offsets[bag + 1];
  for (int d = threadIdx.x; d < DIM; d += blockDim.x) {
    float sum = 0;
    for (int i = from; i < to; ++i) sum += table[ids[i] * DIM + d];
    out[bag * DIM + d] = to > from ? sum / (to - from) : 0.f;
  }
}

__global__ void gradient(const int* sortedIds, const int* order, const float* grad, float* table, int count)
{
  int at = blockIdx.x * blockDim.y + threadIdx.y;
  if (at >= count) return;
  int id = sortedIds[at];
  if (at > 0 && sortedIds[at - 1] == id) return;  // another warp has this word
  if (id == PADDING) return;
  for (int d = threadIdx.x; d < DIM; d += warpSize) {
    float sum = 0;
    for (int i = at; i < count && sortedIds[i] == id; ++i) sum += grad[order[i] * DIM + d];
    table[id * DIM + d] += sum;
  }
}

int main()
{
  const int count = 333, bags = 25;
  std::vector<float> table(WORDS * DIM), grad(count * DIM);
  std::vector<int> ids(count), order(count), sorted(count), offsets(bags + 1);
  for (size_t i = 0; i < table.size(); ++i) table[i] = std::sin(0.3f * i);
  for (size_t i = 0; i < grad.size(); ++i) grad[i] = std::cos(0.2f * i);
  for (int i = 0; i < count; ++i) ids[i] = (i * 17 + i / 9) % WORDS;
  for (int b = 0; b <= bags; ++b) offsets[b] = b * b * count / (bags * bags);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ids[a] < ids[b]; });
  for (int i = 0; i < count; ++i) sorted[i] = ids[order[i]];

  float *dTable, *dOut, *dBags, *dGrad, *dTableGrad;
  int *dIds, *dOffsets, *dOrder, *dSorted;
  RUN(cudaMalloc(&dTable, table.size() * 4));
  RUN(cudaMalloc(&dOut, grad.size() * 4));
  RUN(cudaMalloc(&dBags, bags * DIM * 4));
  RUN(cudaMalloc(&dGrad, grad.size() * 4));
  RUN(cudaMalloc(&dTableGrad, table.size() * 4));
  RUN(cudaMalloc(&dIds, count * 4));
  RUN(cudaMalloc(&dOffsets, (bags + 1) * 4));
  RUN(cudaMalloc(&dOrder, count * 4));
  RUN(cudaMalloc(&dSorted, count * 4));
  RUN(cudaMemcpy(dTable, table.data(), table.size() * 4, cudaMemcpyHostToDevice));
  RUN(cudaMemcpy(dGrad, grad.data(), grad.size() * 4, cudaMemcpyHostToDevice));
  RUN(cudaMemcpy(dIds, ids.data(), count * 4, cudaMemcpyHostToDevice));
  RUN(cudaMemcpy(dOffsets, offsets.data(), (bags + 1) * 4, cudaMemcpyHostToDevice));
  RUN(cudaMemcpy(dOrder, order.data(), count * 4, cudaMemcpyHostToDevice));
  RUN(cudaMemcpy(dSorted, sorted.data(), count * 4, cudaMemcpyHostToDevice));
  RUN(cudaMemset(dTableGrad, 0, table.size() * 4));

  lookup<<<(count * (DIM / 4) + 127) / 128, 128>>>((const float4*)dTable, dIds, (float4*)dOut, count);
  RUN(cudaGetLastError());
  bagMean<<<bags, 32>>>(dTable, dIds, dOffsets, dBags, bags);
  RUN(cudaGetLastError());
  gradient<<<(count + 3) / 4, dim3(32, 4)>>>(dSorted, dOrder, dGrad, dTableGrad, count);
  RUN(cudaGetLastError());

  std::vector<float> out(grad.size()), bagOut(bags * DIM), tableGrad(table.size());
  RUN(cudaMemcpy(out.data(), dOut, out.size() * 4, cudaMemcpyDeviceToHost));
  RUN(cudaMemcpy(bagOut.data(), dBags, bagOut.size() * 4, cudaMemcpyDeviceToHost));
  RUN(cudaMemcpy(tableGrad.data(), dTableGrad, tableGrad.size() * 4, cudaMemcpyDeviceToHost));
  for (void* p : {(void*)dTable, (void*)dOut, (void*)dBags, (void*)dGrad, (void*)dTableGrad, (void*)dIds, (void*)dOffsets, (void*)dOrder, (void*)dSorted})
    RUN(cudaFree(p));

  std::vector<double> want(table.size());
  for (int i = 0; i < count; ++i)
    for (int d = 0; d < DIM; ++d) {
      float w = ids[i] == PADDING ? 0 : table[ids[i] * DIM + d];
      if (!(out[i * DIM + d] == w)) {
        std::printf("embedding: lookup %d: expected %g, got %g\n", i * DIM + d, w, out[i * DIM + d]);
        return 1;
      }
      if (ids[i] != PADDING) want[ids[i] * DIM + d] += grad[i * DIM + d];
    }
  for (int b = 0; b < bags; ++b)
    for (int d = 0; d < DIM; ++d) {
      double sum = 0;
      for (int i = offsets[b]; i < offsets[b + 1]; ++i) sum += table[ids[i] * DIM + d];
      if (offsets[b + 1] > offsets[b]) sum /= offsets[b + 1] - offsets[b];
      if (!(std::fabs(bagOut[b * DIM + d] - sum) <= 1e-5)) {
        std::printf("embedding: bag %d: expected %g, got %g\n", b * DIM + d, sum, bagOut[b * DIM + d]);
        return 1;
      }
    }
  for (size_t i = 0; i < want.size(); ++i)
    if (!(std::fabs(tableGrad[i] - want[i]) <= 1e-5)) {
      std::printf("embedding: gradient %zu: expected %g, got %g\n", i, want[i], tableGrad[i]);
      return 1;
    }
  std::printf("embedding: ok\n");
  return 0;
}
