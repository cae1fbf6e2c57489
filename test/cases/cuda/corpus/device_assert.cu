// assert in device code that holds, static_assert, and __builtin_assume-like hints around a binary search.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T>
__device__ int lowerBound(const T *sorted, int n, T value) {
  static_assert(sizeof(T) >= 2, "small types have their own table");
  int low = 0, high = n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    assert(middle >= 0 && middle < n);
    if (sorted[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  assert(low == n || !(sorted[low] < value));
  assert((low == 0 || sorted[low - 1] < value) && "all below are smaller");
  return low;
}

__global__ void search(const int *sorted, int n, const int *values, int *found, int m) {
  assert(blockDim.x == 80);
  assert(sorted != nullptr && n > 0);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) found[i] = lowerBound(sorted, n, values[i]);
}

int main() {
  const int n = 1001, m = 700;
  std::vector<int> sorted(n), values(m), found(m);
  for (int i = 0; i < n; ++i) sorted[i] = i * 3 - i % 3;
  for (int i = 0; i < m; ++i) values[i] = i * 37 % 3100 - 20;
  int *dSorted, *dValues, *dFound;
  cudaError_t status = cudaSuccess;
  auto did = [&](cudaError_t e) {
    if (status == cudaSuccess) status = e;
    return e == cudaSuccess;
  };
  did(cudaMalloc(&dSorted, n * sizeof(int))) && did(cudaMalloc(&dValues, m * sizeof(int))) &&
      did(cudaMalloc(&dFound, m * sizeof(int))) && did(cudaMemcpy(dSorted, sorted.data(), n * sizeof(int), cudaMemcpyHostToDevice)) &&
      did(cudaMemcpy(dValues, values.data(), m * sizeof(int), cudaMemcpyHostToDevice));
  if (status == cudaSuccess) {
    search<<<(m + 79) / 80, 80>>>(dSorted, n, dValues, dFound, m);
    did(cudaGetLastError()) && did(cudaDeviceSynchronize()) &&
        did(cudaMemcpy(found.data(), dFound, m * sizeof(int), cudaMemcpyDeviceToHost)) && did(cudaFree(dSorted)) &&
        did(cudaFree(dValues)) && did(cudaFree(dFound));
  }
  if (status != cudaSuccess) {
    std::fprintf(stderr, "device_assert: %s\n", cudaGetErrorString(status));
    return 1;
  }
  for (int i = 0; i < m; ++i) {
    int want = 0;
    while (want < n && sorted[want] < values[i]) ++want;
    if (found[i] != want) {
      std::printf("device_assert: value %d: expected %d, got %d\n", i, want, found[i]);
      return 1;
    }
  }
  std::printf("device_assert: ok\n");
  return 0;
}
