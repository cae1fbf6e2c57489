// One function, two bodies: __CUDA_ARCH__ is defined where device code is compiled and nowhere else. The host's body
// counts in a std::map, which no kernel could.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static std::map<int, int> hostCounts;
__device__ int deviceCounts[10];

__host__ __device__ inline void count(int digit) {
#ifdef __CUDA_ARCH__
  atomicAdd(&deviceCounts[digit], 1);
#else
  ++hostCounts[digit];
#endif
}

__host__ __device__ inline int side() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  return 2;
#elif defined(__CUDA_ARCH__)
  return 1;
#else
  return 0;
#endif
}

struct Checked {
  int limit;
  __host__ __device__ int operator()(int v) const {
    if (v >= limit) {
#ifdef __CUDA_ARCH__
      return limit - 1;  // a kernel cannot throw
#else
      throw std::out_of_range("value " + std::to_string(v));
#endif
    }
    return v;
  }
};

__host__ __device__ int digits(unsigned v) {
  int n = 0;
  do {
    count(v % 10);
    ++n;
  } while (v /= 10);
  return n;
}

__global__ void run(const unsigned* values, int* lengths, int* sides, int n, Checked checked) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  lengths[i] = digits(values[i]);
  sides[i] = side() * 100 + checked(i);
}

int main() {
  auto must = [](cudaError_t e) { if (e != cudaSuccess) { std::fprintf(stderr, "arch_branches: %s\n", cudaGetErrorString(e)); std::exit(1); } };
  const int n = 400;
  std::vector<unsigned> values(n);
  for (int i = 0; i < n; ++i) values[i] = (i * 2654435761u) >> (i % 31);
  unsigned* dValues;
  int *dLengths, *dSides, counts[10];
  must(cudaMalloc(&dValues, n * sizeof(unsigned)));
  must(cudaMalloc(&dLengths, n * sizeof(int)));
  must(cudaMalloc(&dSides, n * sizeof(int)));
  must(cudaMemcpy(dValues, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  const Checked checked{50};
  run<<<(n + 63) / 64, 64>>>(dValues, dLengths, dSides, n, checked);
  must(cudaGetLastError());
  std::vector<int> lengths(n), sides(n);
  must(cudaMemcpy(lengths.data(), dLengths, n * sizeof(int), cudaMemcpyDeviceToHost));
  must(cudaMemcpy(sides.data(), dSides, n * sizeof(int), cudaMemcpyDeviceToHost));
  must(cudaMemcpyFromSymbol(counts, deviceCounts, sizeof counts));
  must(cudaFree(dValues));
  must(cudaFree(dLengths));
  must(cudaFree(dSides));

  for (int i = 0; i < n; ++i) {
    const int length = digits(values[i]), want = 200 + (i < 50 ? i : 49);
    if (lengths[i] != length || sides[i] != want) {
      std::printf("arch_branches: element %d: expected %d %d, got %d %d\n", i, length, want, lengths[i], sides[i]);
      return 1;
    }
  }
  for (int d = 0; d < 10; ++d)
    if (hostCounts[d] != counts[d] || counts[d] == 0) {
      std::printf("arch_branches: digit %d: expected %d, got %d\n", d, hostCounts[d], counts[d]);
      return 1;
    }
  if (side() != 0) {
    std::printf("arch_branches: side of the host: expected 0, got %d\n", side());
    return 1;
  }
  bool thrown = false;
  try {
    checked(50);
  } catch (const std::out_of_range&) {
    thrown = true;
  }
  if (!thrown || checked(49) != 49) {
    std::printf("arch_branches: host check: expected an exception, got %d\n", thrown);
    return 1;
  }
  std::printf("arch_branches: ok\n");
  return 0;
}
