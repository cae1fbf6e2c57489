// CUB within a block: BlockReduce, BlockScan with and without its sum, WarpReduce, WarpScan, BlockLoad and BlockStore,
// BlockRadixSort; block sizes and items are template arguments.
#include <cub/cub.cuh>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

#define CubDebugExit_(e) do { cudaError_t r_ = (e); if (r_ != cudaSuccess) { std::fprintf(stderr, "cub_block.cu:%d: %s\n", __LINE__, cudaGetErrorString(r_)); std::exit(1); } } while (0)

struct Larger { __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; } };

template <int BLOCK_THREADS, int ITEMS>
__global__ void blockKernel(const int* in, int n, int* sums, int* largest, int* exclusive, int* totals) {
  using BlockReduce = cub::BlockReduce<int, BLOCK_THREADS>;
  using BlockScan = cub::BlockScan<int, BLOCK_THREADS>;
  using BlockLoad = cub::BlockLoad<int, BLOCK_THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
  using BlockStore = cub::BlockStore<int, BLOCK_THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename BlockReduce::TempStorage reduce;
    typename BlockScan::TempStorage scan;
    typename BlockLoad::TempStorage load;
    typename BlockStore::TempStorage store;
  } temp;

  const int base = blockIdx.x * BLOCK_THREADS * ITEMS, valid = min(n - base, BLOCK_THREADS * ITEMS);
  int items[ITEMS];
  BlockLoad(temp.load).Load(in + base, items, valid, 0);
  __syncthreads();
  const int sum = BlockReduce(temp.reduce).Sum(items);
  __syncthreads();
  int most = items[0];
  for (int k = 1; k < ITEMS; ++k) most = items[k] > most ? items[k] : most;
  most = BlockReduce(temp.reduce).Reduce(most, Larger());
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    largest[blockIdx.x] = most;
  }
  __syncthreads();
  int total;
  BlockScan(temp.scan).ExclusiveSum(items, items, total);
  if (threadIdx.x == BLOCK_THREADS - 1) totals[blockIdx.x] = total;
  __syncthreads();
  BlockStore(temp.store).Store(exclusive + base, items, valid);
}

__global__ void warpKernel(const float* in, float* sums, float* scans) {
  using WarpReduce = cub::WarpReduce<float>;
  using WarpScan = cub::WarpScan<float>;
  __shared__ typename WarpReduce::TempStorage reduceTemp[4];
  __shared__ typename WarpScan::TempStorage scanTemp[4];
  const int warp = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = WarpReduce(reduceTemp[warp]).Sum(in[i]);
  if (threadIdx.x % 32 == 0) sums[i / 32] = sum;
  float inclusive;
  WarpScan(scanTemp[warp]).InclusiveSum(in[i], inclusive);
  scans[i] = inclusive;
}

__global__ void sortKernel(unsigned* keys, short* values) {
  typedef cub::BlockRadixSort<unsigned, 64, 4, short> Sort;
  __shared__ typename Sort::TempStorage temp;
  unsigned k[4];
  short v[4];
  for (int j = 0; j < 4; ++j) {
    k[j] = keys[blockIdx.x * 256 + threadIdx.x * 4 + j];
    v[j] = values[blockIdx.x * 256 + threadIdx.x * 4 + j];
  }
  Sort(temp).Sort(k, v);
  for (int j = 0; j < 4; ++j) {
    keys[blockIdx.x * 256 + threadIdx.x * 4 + j] = k[j];
    values[blockIdx.x * 256 + threadIdx.x * 4 + j] = v[j];
  }
}

template <typename T>
struct Array {
  T* p;
  int n;
  explicit Array(int n) : n(n) { CubDebugExit_(cudaMalloc(&p, n * sizeof(T))); }
  explicit Array(const std::vector<T>& v) : Array((int)v.size()) { CubDebugExit_(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
  ~Array() { CubDebugExit_(cudaFree(p)); }
  bool is(const char* what, const std::vector<T>& want) const {
    std::vector<T> got(want.size());
    CubDebugExit_(cudaMemcpy(got.data(), p, want.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < want.size(); ++i)
      if (!(got[i] == want[i])) {
        std::printf("cub_block: %s %zu: expected %g, got %g\n", what, i, (double)want[i], (double)got[i]);
        return false;
      }
    return true;
  }
};

template <int THREADS, int ITEMS>
bool blocks(int n) {
  const int per = THREADS * ITEMS, count = (n + per - 1) / per;
  std::vector<int> in(n), sums(count), largest(count), exclusive(n);
  for (int i = 0; i < n; ++i) in[i] = i * 7907 % 300;
  for (int b = 0; b < count; ++b)
    for (int i = b * per; i < std::min(n, (b + 1) * per); ++i) {
      exclusive[i] = sums[b];
      sums[b] += in[i];
      largest[b] = std::max(largest[b], in[i]);
    }
  Array<int> dIn(in), dSums(count), dLargest(count), dExclusive(n), dTotals(count);
  blockKernel<THREADS, ITEMS><<<count, THREADS>>>(dIn.p, n, dSums.p, dLargest.p, dExclusive.p, dTotals.p);
  CubDebugExit_(cudaGetLastError());
  return dSums.is("sum", sums) && dLargest.is("largest", largest) && dExclusive.is("exclusive", exclusive) && dTotals.is("total", sums);
}

int main() {
  if (!blocks<128, 3>(5000) || !blocks<64, 1>(777) || !blocks<96, 4>(1153)) return 1;

  const int n = 5 * 128;
  std::vector<float> in(n), sums(n / 32), scans(n);
  for (int i = 0; i < n; ++i) {
    in[i] = i % 50 * 0.25f;
    sums[i / 32] += in[i];
    scans[i] = sums[i / 32];
  }
  Array<float> dIn(in), dSums(n / 32), dScans(n);
  warpKernel<<<5, 128>>>(dIn.p, dSums.p, dScans.p);
  CubDebugExit_(cudaGetLastError());
  if (!dSums.is("sum of a warp", sums) || !dScans.is("scan of a warp", scans)) return 1;

  std::vector<unsigned> keys(3 * 256);
  std::vector<short> values(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = unsigned(i) * 2654435761u % 1000u << (i % 3 * 8), values[i] = short(i);
  Array<unsigned> dKeys(keys);
  Array<short> dValues(values);
  sortKernel<<<3, 64>>>(dKeys.p, dValues.p);
  CubDebugExit_(cudaGetLastError());
  std::vector<short> order = values;
  for (int b = 0; b < 3; ++b) std::stable_sort(order.begin() + b * 256, order.begin() + (b + 1) * 256, [&](short p, short q) { return keys[p] < keys[q]; });
  std::vector<unsigned> sorted;
  for (short o : order) sorted.push_back(keys[o]);
  if (!dKeys.is("sorted key", sorted) || !dValues.is("sorted value", order)) return 1;
  std::printf("cub_block: ok\n");
  return 0;
}
