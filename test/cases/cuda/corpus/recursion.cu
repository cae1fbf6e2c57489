// Recursion in device code: quicksort of a thread's own part, Ackermann, a sum over a binary tree in an array, and
// two functions that call each other.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(e) do { cudaError_t r = (e); if (r != cudaSuccess) { std::fprintf(stderr, "recursion.cu:%d %s\n", __LINE__, cudaGetErrorString(r)); std::exit(1); } } while (0)

__device__ void quickSort(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  quickSort(a, low, j);
  quickSort(a, i, high);
}

__host__ __device__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

template <int Depth>
__host__ __device__ long long treeSum(const int *tree, int node) {
  if constexpr (Depth == 0)
    return tree[node];
  else
    return tree[node] + treeSum<Depth - 1>(tree, 2 * node + 1) - treeSum<Depth - 1>(tree, 2 * node + 2);
}

__host__ __device__ int isEven(int n);
__host__ __device__ int isOdd(int n) { return n == 0 ? 0 : isEven(n - 1); }
__host__ __device__ int isEven(int n) { return n == 0 ? 1 : isOdd(n - 1); }

__global__ void sortParts(int *data, int part, int n) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * part;
  if (begin < n) quickSort(data, begin, min(begin + part, n) - 1);
}

__global__ void compute(const int *tree, unsigned *ack, long long *sums, int *even) {
  int i = threadIdx.x;
  ack[i] = ackermann(i % 3, i / 3);
  sums[i] = treeSum<5>(tree, i % 4);
  even[i] = isEven(i);
}

int main() {
  const int n = 3017, part = 50, threads = 40;
  std::vector<int> data(n), got(n), even(threads);
  std::vector<unsigned> ack(threads);
  std::vector<long long> sums(threads);
  for (int i = 0; i < n; ++i) data[i] = int(i * 2246822519u >> 20) - i % 7;
  int *dData, *dTree, *dEven;
  unsigned *dAck;
  long long *dSums;
  CHECK(cudaMalloc(&dData, n * sizeof(int)));
  CHECK(cudaMalloc(&dTree, n * sizeof(int)));
  CHECK(cudaMalloc(&dAck, threads * sizeof(unsigned)));
  CHECK(cudaMalloc(&dSums, threads * sizeof(long long)));
  CHECK(cudaMalloc(&dEven, threads * sizeof(int)));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  CHECK(cudaMemcpy(dData, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dTree, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  const int parts = (n + part - 1) / part;
  sortParts<<<(parts + 31) / 32, 32>>>(dData, part, n);
  CHECK(cudaGetLastError());
  compute<<<1, threads>>>(dTree, dAck, dSums, dEven);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got.data(), dData, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(ack.data(), dAck, threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(sums.data(), dSums, threads * sizeof(long long), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(even.data(), dEven, threads * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dData));
  CHECK(cudaFree(dTree));
  CHECK(cudaFree(dAck));
  CHECK(cudaFree(dSums));
  CHECK(cudaFree(dEven));

  for (int i = 0; i < threads; ++i) {
    const unsigned a = i % 3 == 0 ? i / 3 + 1 : i % 3 == 1 ? i / 3 + 2 : 2 * (i / 3) + 3;
    const long long sum = treeSum<5>(data.data(), i % 4);
    if (ack[i] != a || sums[i] != sum || even[i] != (i % 2 == 0)) {
      std::printf("recursion: thread %d: expected %u %lld %d, got %u %lld %d\n", i, a, sum, i % 2 == 0, ack[i], sums[i], even[i]);
      return 1;
    }
  }
  for (int p = 0; p < n; p += part) std::sort(data.begin() + p, data.begin() + std::min(p + part, n));
  for (int i = 0; i < n; ++i)
    if (got[i] != data[i]) {
      std::printf("recursion: element %d: expected %d, got %d\n", i, data[i], got[i]);
      return 1;
    }
  std::printf("recursion: ok\n");
  return 0;
}
