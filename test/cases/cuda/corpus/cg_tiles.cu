// Tiles of 4, 8, 16 and 32 threads by name: ranks, sync, shfl in all directions, any, all, ballot, match, and tiles of
// tiles. A group is an argument of device functions.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace cooperative_groups;

#define CHECK_LAST(call)                                                                  \
  do {                                                                                    \
    cudaError_t error_ = (call);                                                          \
    if (error_ != cudaSuccess) {                                                          \
      fprintf(stderr, "cg_tiles.cu:%d: %s\n", __LINE__, cudaGetErrorName(error_));        \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

struct Seen {
  int rank, size, tile, tiles, left, right, partner, first, ballot, any, all, peers, scan;
};

// Works with any group that has a rank, a size and shuffles.
template <typename Group>
__device__ int inclusiveScan(const Group &g, int v) {
  for (unsigned d = 1; d < g.size(); d *= 2) {
    int below = g.shfl_up(v, d);
    if (g.thread_rank() >= d) v += below;
  }
  return v;
}

template <unsigned N>
__device__ Seen look(thread_block_tile<N> t, int v) {
  Seen s;
  s.rank = t.thread_rank();
  s.size = t.size();
  s.tile = t.meta_group_rank();
  s.tiles = t.meta_group_size();
  s.left = t.shfl_up(v, 1);
  s.right = t.shfl_down(v, 1);
  s.partner = t.shfl_xor(v, N / 2);
  s.first = t.shfl(v, 0);
  s.ballot = t.ballot(v % 3 == 0);
  s.any = t.any(v % 11 == 0);
  s.all = t.all(v >= 20);
  s.peers = t.match_any(v % 4);
  s.scan = inclusiveScan(t, v);
  t.sync();
  return s;
}

template <unsigned N>
__global__ void run(const int *in, Seen *out) {
  thread_block block = this_thread_block();
  thread_block_tile<N> tile = tiled_partition<N>(block);
  unsigned i = block.group_index().x * block.group_dim().x + block.thread_index().x;
  out[i] = look<N>(tile, in[i]);
}

// Tiles of 4 within tiles of 16, and a buffer in shared memory for each.
__global__ void nested(const int *in, int *out) {
  __shared__ int buffer[96];
  auto block = this_thread_block();
  auto sixteen = tiled_partition<16>(block);
  auto four = tiled_partition<4>(sixteen);
  int *mine = buffer + block.thread_rank() / 16 * 16;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[sixteen.thread_rank()] = in[i];
  sixteen.sync();
  int mirrored = mine[15 - sixteen.thread_rank()];
  int sum = mirrored + four.shfl_xor(mirrored, 1);
  sum += four.shfl_xor(sum, 2);
  out[i] = sum * 10 + four.thread_rank();
}

template <unsigned N>
int differs() {
  const int blocks = 3, threads = 96, n = blocks * threads;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 37 + 11) % 101;
  int *dIn;
  Seen *dOut;
  CHECK_LAST(cudaMalloc(&dIn, n * sizeof(int)));
  CHECK_LAST(cudaMalloc(&dOut, n * sizeof(Seen)));
  CHECK_LAST(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  run<N><<<blocks, threads>>>(dIn, dOut);
  CHECK_LAST(cudaGetLastError());
  std::vector<Seen> got(n);
  CHECK_LAST(cudaMemcpy(got.data(), dOut, n * sizeof(Seen), cudaMemcpyDeviceToHost));
  CHECK_LAST(cudaFree(dIn));
  CHECK_LAST(cudaFree(dOut));
  for (int i = 0; i < n; ++i) {
    int rank = i % N, base = i - rank;
    Seen w = {};
    w.rank = rank;
    w.size = N;
    w.tile = i % threads / N;
    w.tiles = threads / N;
    w.left = in[rank > 0 ? i - 1 : i];
    w.right = in[rank < (int)N - 1 ? i + 1 : i];
    w.partner = in[base + (rank ^ (N / 2))];
    w.first = in[base];
    w.all = 1;
    for (int k = 0; k < (int)N; ++k) {
      int v = in[base + k];
      if (v % 3 == 0) w.ballot |= 1u << k;
      w.any |= v % 11 == 0;
      w.all &= v >= 20;
      if (v % 4 == in[i] % 4) w.peers |= 1u << k;
      if (k <= rank) w.scan += v;
    }
    const Seen &g = got[i];
    const int a[] = {w.rank, w.size, w.tile, w.tiles, w.left, w.right, w.partner, w.first, w.ballot, w.any, w.all, w.peers, w.scan};
    const int b[] = {g.rank, g.size, g.tile, g.tiles, g.left, g.right, g.partner, g.first, g.ballot, !!g.any, !!g.all, g.peers, g.scan};
    for (int k = 0; k < 13; ++k)
      if (a[k] != b[k]) {
        printf("cg_tiles: tile of %u, thread %d, value %d: expected %d, got %d\n", N, i, k, a[k], b[k]);
        return 1;
      }
  }
  return 0;
}

int main() {
  if (differs<4>() || differs<8>() || differs<16>() || differs<32>()) return 1;
  const int n = 2 * 96;
  int in[n], got[n], *dIn, *dOut;
  for (int i = 0; i < n; ++i) in[i] = i * i % 97;
  CHECK_LAST(cudaMalloc(&dIn, sizeof in));
  CHECK_LAST(cudaMalloc(&dOut, sizeof got));
  CHECK_LAST(cudaMemcpy(dIn, in, sizeof in, cudaMemcpyHostToDevice));
  nested<<<2, 96>>>(dIn, dOut);
  CHECK_LAST(cudaGetLastError());
  CHECK_LAST(cudaMemcpy(got, dOut, sizeof got, cudaMemcpyDeviceToHost));
  CHECK_LAST(cudaFree(dIn));
  CHECK_LAST(cudaFree(dOut));
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = i / 4 * 4; k < i / 4 * 4 + 4; ++k) sum += in[k / 16 * 16 + 15 - k % 16];
    if (got[i] != sum * 10 + i % 4) {
      printf("cg_tiles: nested %d: expected %d, got %d\n", i, sum * 10 + i % 4, got[i]);
      return 1;
    }
  }
  printf("cg_tiles: ok\n");
  return 0;
}
