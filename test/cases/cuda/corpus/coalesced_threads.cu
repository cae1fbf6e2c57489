// coalesced_threads(): a group of whoever came into a branch. Which lanes are in it is the device's choice, so that
// only sums over all groups are compared; and binary_partition and labeled_partition, whose groups are known.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

inline void gpu(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "coalesced_threads: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

__device__ int aggregatedIncrement(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int before;
  if (active.thread_rank() == 0) before = atomicAdd(counter, static_cast<int>(active.size()));
  return active.shfl(before, 0) + active.thread_rank();
}

__global__ void takeTickets(const int* values, int n, int* counter, int* owners, int* ranksWrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] % 3 != 0) {
    owners[aggregatedIncrement(counter)] = i;
  } else if (i < n) {
    auto group = cg::coalesced_threads();
    // a sum over the group by its own shuffles equals what ballots say
    const unsigned odd = group.ballot(values[i] & 1);
    int sum = 0;
    for (int r = 0; r < group.size(); ++r) sum += group.shfl(values[i] & 1, r);
    if (sum != __popc(odd) || group.thread_rank() >= group.size()) atomicAdd(ranksWrong, 1);
  }
}

// Each thread gets the sum of those in its warp that have the same parity, and of those with the same label.
__global__ void partitions(const int* values, int* byParity, int* byLabel) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto parity = cg::binary_partition(warp, values[i] & 1);
  int sum = 0;
  for (int r = 0; r < parity.size(); ++r) sum += parity.shfl(values[i], r);
  byParity[i] = sum;
  auto label = cg::labeled_partition(warp, values[i] % 5);
  sum = 0;
  for (int r = 0; r < label.size(); ++r) sum += label.shfl(values[i], r);
  byLabel[i] = sum * 100 + label.thread_rank();
}

int main() {
  const int threads = 64, n = 500, full = 512;
  std::vector<int> values(full), owners(n), parity(full), label(full);
  int wanted = 0;
  for (int i = 0; i < full; ++i) {
    values[i] = (i * 91 + i / 7) % 64;
    wanted += i < n && values[i] % 3 != 0;
  }
  int *dValues, *dOwners, *dCounters, *dParity, *dLabel, counters[2];
  gpu(cudaMalloc(&dValues, full * sizeof(int)));
  gpu(cudaMalloc(&dOwners, n * sizeof(int)));
  gpu(cudaMalloc(&dCounters, sizeof counters));
  gpu(cudaMalloc(&dParity, full * sizeof(int)));
  gpu(cudaMalloc(&dLabel, full * sizeof(int)));
  gpu(cudaMemcpy(dValues, values.data(), full * sizeof(int), cudaMemcpyHostToDevice));
  gpu(cudaMemset(dOwners, 0xff, n * sizeof(int)));
  gpu(cudaMemset(dCounters, 0, sizeof counters));
  takeTickets<<<full / threads, threads>>>(dValues, n, dCounters, dOwners, dCounters + 1);
  gpu(cudaGetLastError());
  partitions<<<full / threads, threads>>>(dValues, dParity, dLabel);
  gpu(cudaGetLastError());
  gpu(cudaMemcpy(owners.data(), dOwners, n * sizeof(int), cudaMemcpyDeviceToHost));
  gpu(cudaMemcpy(counters, dCounters, sizeof counters, cudaMemcpyDeviceToHost));
  gpu(cudaMemcpy(parity.data(), dParity, full * sizeof(int), cudaMemcpyDeviceToHost));
  gpu(cudaMemcpy(label.data(), dLabel, full * sizeof(int), cudaMemcpyDeviceToHost));
  for (int* p : {dValues, dOwners, dCounters, dParity, dLabel}) gpu(cudaFree(p));

  if (counters[0] != wanted || counters[1] != 0) {
    std::printf("coalesced_threads: tickets: expected %d and 0 wrong, got %d and %d\n", wanted, counters[0], counters[1]);
    return 1;
  }
  std::vector<bool> seen(n);
  for (int t = 0; t < n; ++t) {
    const int i = owners[t];
    const bool right = t < wanted ? i >= 0 && i < n && values[i] % 3 != 0 && !seen[i] : i == -1;
    if (!right) {
      std::printf("coalesced_threads: ticket %d: expected %s, got %d\n", t, t < wanted ? "a new owner" : "none", i);
      return 1;
    }
    if (i >= 0) seen[i] = true;
  }
  for (int i = 0; i < full; ++i) {
    int sameParity = 0, sameLabel = 0, rank = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if ((values[j] & 1) == (values[i] & 1)) sameParity += values[j];
      if (values[j] % 5 == values[i] % 5) sameLabel += values[j], rank += j < i;
    }
    if (parity[i] != sameParity || label[i] != sameLabel * 100 + rank) {
      std::printf("coalesced_threads: thread %d: expected %d %d, got %d %d\n", i, sameParity, sameLabel * 100 + rank, parity[i], label[i]);
      return 1;
    }
  }
  std::printf("coalesced_threads: ok\n");
}
