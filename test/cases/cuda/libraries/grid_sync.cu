// A barrier of the whole grid: each block reads what other blocks wrote before it.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "expect.h"

namespace cg = cooperative_groups;

__global__ void rotate_twice(int* a, int* b, int* valid) {
  cg::grid_group grid = cg::this_grid();
  const unsigned at = static_cast<unsigned>(grid.thread_rank());
  const unsigned count = static_cast<unsigned>(grid.size());
  if (at == 0) *valid = grid.is_valid();
  b[at] = a[(at + 37) % count];
  grid.sync();
  a[at] = b[(at + 37) % count];
  grid.sync();
  b[at] = a[(at + 1) % count] - a[at];
}

int main() {
  constexpr int blocks = 4, threads = 32, count = blocks * threads;
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<int>(scrambled(i) % 100);
  device_array<int> a(values), b(count), valid(1);
  void* arguments[] = {&a.data, &b.data, &valid.data};
  CUDA_OK(cudaLaunchCooperativeKernel(rotate_twice, dim3(blocks), dim3(threads), arguments));
  const auto got = a.host();
  const auto differences = b.host();
  for (int i = 0; i < count; ++i) {
    EXPECT(got[i] == values[(i + 74) % count], "element %d", i);
    EXPECT(differences[i] == values[(i + 75) % count] - values[(i + 74) % count], "element %d", i);
  }
  EXPECT(valid.host()[0] == 1);
  std::printf("grid_sync: ok\n");
}
