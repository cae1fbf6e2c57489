// The warp reductions of sm_80 (__reduce_add_sync and its siblings) over full and over partial masks.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Row {
  int sum, low, high;
  unsigned usum, ulow, uhigh, all, any, parity;
  bool operator==(const Row& o) const {
    return sum == o.sum && low == o.low && high == o.high && usum == o.usum && ulow == o.ulow && uhigh == o.uhigh && all == o.all &&
           any == o.any && parity == o.parity;
  }
};

__device__ Row reduceAll(unsigned mask, int s, unsigned u) {
  Row r;
  r.sum = __reduce_add_sync(mask, s);
  r.low = __reduce_min_sync(mask, s);
  r.high = __reduce_max_sync(mask, s);
  r.usum = __reduce_add_sync(mask, u);
  r.ulow = __reduce_min_sync(mask, u);
  r.uhigh = __reduce_max_sync(mask, u);
  r.all = __reduce_and_sync(mask, u);
  r.any = __reduce_or_sync(mask, u);
  r.parity = __reduce_xor_sync(mask, u);
  return r;
}

// Odd warps split in two groups that reduce each for itself.
__global__ void reduce(const int* s, const unsigned* u, Row* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
  if (i / 32 % 2 == 0) {
    out[i] = reduceAll(0xffffffffu, s[i], u[i]);
  } else if (lane % 3 == 0) {
    out[i] = reduceAll(0x49249249u, s[i], u[i]);
  } else {
    out[i] = reduceAll(~0x49249249u, s[i], u[i]);
  }
}

int main() {
  auto check = [](cudaError_t e) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "reduce_sync: %s\n", cudaGetErrorString(e));
    std::exit(1);
  };
  const int n = 6 * 96;
  std::vector<int> s(n);
  std::vector<unsigned> u(n);
  for (int i = 0; i < n; ++i) {
    s[i] = i * 7919 % 2001 - 1000;
    u[i] = (i * 2654435761u) | 0x10u | (i % 4 << 30);
  }
  int* ds;
  unsigned* du;
  Row* dr;
  check(cudaMalloc(&ds, n * sizeof(int)));
  check(cudaMalloc(&du, n * sizeof(unsigned)));
  check(cudaMalloc(&dr, n * sizeof(Row)));
  check(cudaMemcpy(ds, s.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(du, u.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  reduce<<<6, 96>>>(ds, du, dr);
  check(cudaGetLastError());
  std::vector<Row> got(n);
  check(cudaMemcpy(got.data(), dr, n * sizeof(Row), cudaMemcpyDeviceToHost));
  check(cudaFree(ds));
  check(cudaFree(du));
  check(cudaFree(dr));
  for (int i = 0; i < n; ++i) {
    Row want{0, 1 << 30, -(1 << 30), 0, ~0u, 0, ~0u, 0, 0};
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if (i / 32 % 2 && (j % 32 % 3 == 0) != (i % 32 % 3 == 0)) continue;
      want.sum += s[j];
      want.low = std::min(want.low, s[j]);
      want.high = std::max(want.high, s[j]);
      want.usum += u[j];
      want.ulow = std::min(want.ulow, u[j]);
      want.uhigh = std::max(want.uhigh, u[j]);
      want.all &= u[j];
      want.any |= u[j];
      want.parity ^= u[j];
    }
    if (!(got[i] == want)) {
      std::printf("reduce_sync: thread %d: expected %d %d %d %u %u %u %x %x %x, got %d %d %d %u %u %u %x %x %x\n", i, want.sum,
                  want.low, want.high, want.usum, want.ulow, want.uhigh, want.all, want.any, want.parity, got[i].sum, got[i].low,
                  got[i].high, got[i].usum, got[i].ulow, got[i].uhigh, got[i].all, got[i].any, got[i].parity);
      return 1;
    }
  }
  std::printf("reduce_sync: ok\n");
  return 0;
}
