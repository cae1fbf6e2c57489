// Findings are made in a kernel, and reported and freed on the host, as in a process that runs
// operators. Host memory at the same addresses must not count as memory that a kernel allocated.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

extern "C" char* opsmith_gpu_take_report();

// Nothing wrote `in`. Each kernel has a finding of its own.
template <int site>
__global__ void copy_element(const int* in, int* out) {
  out[site] = in[site];
}

template <int... sites>
void copy_each(const int* in, int* out, std::integer_sequence<int, sites...>) {
  (copy_element<sites><<<1, 1>>>(in, out), ...);
}

__global__ void read_each(char* const* blocks, int count, int* passed) {
  for (int i = 0; i < count; ++i) {
    if (*blocks[i] != 1) return;  // finds: host-pointer
    *passed = i + 1;
  }
}

int main() {
  const int sites = 40;
  const int count = 200;
  int *in, *out, *passed;
  char** blocks;
  if (cudaMalloc(&in, sites * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMalloc(&out, sites * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&passed, sizeof(int)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&blocks, count * sizeof(char*)) != cudaSuccess) return 1;
  copy_each(in, out, std::make_integer_sequence<int, sites>());
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::free(opsmith_gpu_take_report());

  // As long as the texts of those findings.
  std::vector<std::vector<char>> host;
  for (int i = 0; i < count; ++i)
    host.emplace_back(31, 1);
  for (int i = 0; i < count; ++i)
    blocks[i] = host[i].data();
  *passed = 0;
  read_each<<<1, 1>>>(blocks, count, passed);
  if (cudaDeviceSynchronize() == cudaSuccess) return 1;
  std::printf("%d of %d reads of host memory passed\n", *passed, count);
  return 0;
}
