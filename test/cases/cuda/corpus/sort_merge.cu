// Merge sort: each thread finds its part of two runs on the merge path and merges it. Any comparison, stable.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

template <typename T, typename Less>
__device__ int mergePath(const T* a, int na, const T* b, int nb, int diagonal, Less less) {
  int low = max(0, diagonal - nb), high = min(diagonal, na);
  while (low < high) {
    int mid = (low + high) / 2;
    if (less(b[diagonal - 1 - mid], a[mid]))
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

template <int PerThread, typename T, typename Less>
__global__ void mergePass(const T* in, T* out, int n, int width, Less less) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * PerThread;
  if (begin >= n) return;
  // With 2 * width a multiple of PerThread, a thread's outputs are all in one pair of runs.
  int pair = begin / (2 * width) * (2 * width);
  int middle = min(pair + width, n), end = min(pair + 2 * width, n);
  const T *a = in + pair, *b = in + middle;
  int na = middle - pair, nb = end - middle;
  int i = mergePath(a, na, b, nb, begin - pair, less);
  int j = begin - pair - i;
  for (int k = 0; k < PerThread && begin + k < end; ++k) {
    bool takeB = i >= na || (j < nb && less(b[j], a[i]));
    out[begin + k] = takeB ? b[j++] : a[i++];
  }
}

template <typename T, typename Less>
__global__ void sortRuns(T* data, int n, int width, Less less) {
  int from = (blockIdx.x * blockDim.x + threadIdx.x) * width;
  int to = min(from + width, n);
  for (int i = from + 1; i < to; ++i) {
    T x = data[i];
    int j = i;
    for (; j > from && less(x, data[j - 1]); --j) data[j] = data[j - 1];
    data[j] = x;
  }
}

struct Record {
  float key;
  int number;
};

struct ByKeyDown {
  __host__ __device__ bool operator()(const Record& a, const Record& b) const { return a.key > b.key; }
};

#define CHECK(call)                                                             \
  if (auto e = call) {                                                          \
    printf("%s: %s\n", cudaGetErrorName(e), #call);                             \
    exit(1);                                                                    \
  }

int main() {
  const int n = 7001;
  std::vector<Record> records(n), got(n);
  for (int i = 0; i < n; ++i) records[i] = {static_cast<float>(i * 7919 % 501) / 4, i};

  Record *from, *to;
  CHECK(cudaMalloc(&from, n * sizeof(Record)));
  CHECK(cudaMalloc(&to, n * sizeof(Record)));
  CHECK(cudaMemcpy(from, records.data(), n * sizeof(Record), cudaMemcpyHostToDevice));
  const int run = 8;
  sortRuns<<<(n + run * 64 - 1) / (run * 64), 64>>>(from, n, run, ByKeyDown{});
  CHECK(cudaGetLastError());
  for (int width = run; width < n; width *= 2) {
    mergePass<4><<<(n + 4 * 96 - 1) / (4 * 96), 96>>>(from, to, n, width, ByKeyDown());
    CHECK(cudaGetLastError());
    std::swap(from, to);
  }
  CHECK(cudaMemcpy(got.data(), from, n * sizeof(Record), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));

  std::stable_sort(records.begin(), records.end(), ByKeyDown());
  for (int i = 0; i < n; ++i) {
    if (got[i].number != records[i].number || !(got[i].key == records[i].key)) {
      printf("sort_merge: element %d: expected %g (%d), got %g (%d)\n", i, records[i].key, records[i].number, got[i].key,
             got[i].number);
      return 1;
    }
  }
  printf("sort_merge: ok\n");
  return 0;
}
