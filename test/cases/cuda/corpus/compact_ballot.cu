// Stream compaction that keeps the order: ballots and popc within a warp, sums of warps within a block, and two
// launches: count, then write. And warp-aggregated atomics that do not keep it.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(ans) { cudaAssert((ans), #ans, __LINE__); }
static void cudaAssert(cudaError_t code, const char* what, int line) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "compact_ballot.cu:%d %s: %s\n", line, what, cudaGetErrorString(code));
  exit(code);
}

__device__ __forceinline__ unsigned lanemask_lt() { return (1u << (threadIdx.x & 31)) - 1; }

struct IsOdd { __device__ bool operator()(int v) const { return v & 1; } };
struct Above { int limit; __device__ bool operator()(int v) const { return v > limit; } };

template <typename Predicate>
__global__ void countKept(const int* in, int n, int* counts, Predicate keep) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int kept = __syncthreads_count(i < n && keep(in[i]));
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

template <typename Predicate>
__global__ void writeKept(const int* in, int n, const int* starts, int* out, Predicate keep) {
  __shared__ int warpStart[33];
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
  bool mine = i < n && keep(in[i]);
  unsigned votes = __ballot_sync(0xffffffff, mine);
  if ((threadIdx.x & 31) == 0) warpStart[warp + 1] = __popc(votes);
  __syncthreads();
  if (threadIdx.x == 0) {
    warpStart[0] = starts[blockIdx.x];
    for (int w = 1; w < blockDim.x / 32; ++w) warpStart[w] += warpStart[w - 1];
  }
  __syncthreads();
  if (mine) out[warpStart[warp] + __popc(votes & lanemask_lt())] = in[i];
}

template <typename Predicate>
__global__ void aggregated(const int* in, int n, int* out, int* count, Predicate keep) {
  for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
    int i = base + threadIdx.x;
    bool mine = i < n && keep(in[i]);
    unsigned votes = __ballot_sync(0xffffffff, mine);
    if (votes == 0) continue;
    int leader = __ffs(votes) - 1, start = 0;
    if ((threadIdx.x & 31) == leader) start = atomicAdd(count, __popc(votes));
    start = __shfl_sync(0xffffffff, start, leader);
    if (mine) out[start + __popc(votes & lanemask_lt())] = in[i];
  }
}

template <typename Predicate>
bool compacts(const char* name, const std::vector<int>& in, Predicate keep, std::vector<int> want) {
  int n = (int)in.size(), blocks = (n + 127) / 128, total = 0;
  int *dIn, *dCounts, *dOut, *dTotal;
  CUDA_CHECK(cudaMalloc(&dIn, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dOut, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dCounts, blocks * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dTotal, sizeof(int)));
  CUDA_CHECK(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  countKept<<<blocks, 128>>>(dIn, n, dCounts, keep);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> counts(blocks);
  CUDA_CHECK(cudaMemcpy(counts.data(), dCounts, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  for (int& c : counts) { int k = c; c = total; total += k; }
  CUDA_CHECK(cudaMemcpy(dCounts, counts.data(), blocks * sizeof(int), cudaMemcpyHostToDevice));
  writeKept<<<blocks, 128>>>(dIn, n, dCounts, dOut, keep);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> ordered(total);
  CUDA_CHECK(cudaMemcpy(ordered.data(), dOut, total * sizeof(int), cudaMemcpyDeviceToHost));

  CUDA_CHECK(cudaMemset(dTotal, 0, sizeof(int)));
  aggregated<<<3, 96>>>(dIn, n, dOut, dTotal, keep);
  CUDA_CHECK(cudaGetLastError());
  int again;
  CUDA_CHECK(cudaMemcpy(&again, dTotal, sizeof(int), cudaMemcpyDeviceToHost));
  if (total != (int)want.size() || again != total) {
    printf("compact_ballot: %s: expected %zu, got %d and %d\n", name, want.size(), total, again);
    return false;
  }
  std::vector<int> unordered(again);
  CUDA_CHECK(cudaMemcpy(unordered.data(), dOut, again * sizeof(int), cudaMemcpyDeviceToHost));
  for (int* p : {dIn, dOut, dCounts, dTotal}) CUDA_CHECK(cudaFree(p));
  for (int i = 0; i < total; ++i)
    if (ordered[i] != want[i]) {
      printf("compact_ballot: %s %d: expected %d, got %d\n", name, i, want[i], ordered[i]);
      return false;
    }
  std::sort(unordered.begin(), unordered.end());
  std::sort(want.begin(), want.end());
  for (int i = 0; i < total; ++i)
    if (unordered[i] != want[i]) {
      printf("compact_ballot: %s, sorted %d: expected %d, got %d\n", name, i, want[i], unordered[i]);
      return false;
    }
  return true;
}

int main() {
  std::vector<int> in(4567), odd, large;
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = int(i * 2654435761u >> 18);
    if (in[i] & 1) odd.push_back(in[i]);
    if (in[i] > 12000) large.push_back(in[i]);
  }
  if (!compacts("odd", in, IsOdd{}, odd) || !compacts("large", in, Above{12000}, large)) return 1;
  printf("compact_ballot: ok\n");
  return 0;
}
