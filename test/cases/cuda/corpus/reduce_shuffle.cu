// Sum, minimum, maximum and arg-max by __shfl_down_sync and __shfl_xor_sync, a warp first, then the block.
#include <cuda_runtime.h>
#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(...)                                                                       \
  {                                                                                   \
    auto status_ = (__VA_ARGS__);                                                     \
    if (status_ != cudaSuccess) {                                                     \
      std::printf("CUDA error %d in line %d: %s\n", int(status_), __LINE__,           \
                  cudaGetErrorString(status_));                                       \
      std::exit(1);                                                                   \
    }                                                                                 \
  }

constexpr unsigned kAll = 0xffffffffu;

struct Sum { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Min { template <class T> __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
struct Max { template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; } };

template <class T, class Op>
__inline__ __device__ T warpReduce(T value, Op op) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value = op(value, __shfl_down_sync(kAll, value, offset));
  return value;
}

template <class T, class Op>
__inline__ __device__ T blockReduce(T value, T neutral, Op op) {
  static __shared__ T warps[32];
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  value = warpReduce(value, op);
  if (lane == 0) warps[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / warpSize ? warps[lane] : neutral;
  if (warp == 0) value = warpReduce(value, op);
  return value;
}

template <class T, class Op>
__global__ void reduce(const T* in, T* out, int n, T neutral, Op op) {
  T value = neutral;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) value = op(value, in[i]);
  value = blockReduce(value, neutral, op);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

// All lanes get the winner by a butterfly. On a tie the lower index wins.
__global__ void argmaxRows(const float* in, int* index, float* value, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  float best = -FLT_MAX;
  int where = -1;
  for (int c = lane; c < columns; c += 32) {
    float v = in[row * columns + c];
    if (v > best) best = v, where = c;
  }
  for (int mask = 16; mask; mask >>= 1) {
    float otherBest = __shfl_xor_sync(kAll, best, mask);
    int otherWhere = __shfl_xor_sync(kAll, where, mask);
    bool take = otherBest > best || (otherBest == best && otherWhere >= 0 && (where < 0 || otherWhere < where));
    if (take) best = otherBest, where = otherWhere;
  }
  if (lane == 0) {
    index[row] = where;
    value[row] = best;
  }
}

template <class T, class Op, class Fold>
bool compare(const char* what, const std::vector<T>& data, T neutral, Op op, Fold fold) {
  const int blocks = 5, threads = 160;
  T *in, *out, *one;
  CK(cudaMalloc(&in, data.size() * sizeof(T)));
  CK(cudaMalloc(&out, blocks * sizeof(T)));
  CK(cudaMalloc(&one, sizeof(T)));
  CK(cudaMemcpy(in, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
  reduce<T><<<blocks, threads>>>(in, out, int(data.size()), neutral, op);
  CK(cudaGetLastError());
  reduce<T><<<1, 32>>>(out, one, blocks, neutral, op);
  CK(cudaGetLastError());
  T got;
  CK(cudaMemcpy(&got, one, sizeof(T), cudaMemcpyDeviceToHost));
  CK(cudaFree(in));
  CK(cudaFree(out));
  CK(cudaFree(one));
  T want = neutral;
  for (T v : data) want = fold(want, v);
  if (got == want) return true;
  std::printf("reduce_shuffle: %s: expected %.17g, got %.17g\n", what, double(want), double(got));
  return false;
}

int main() {
  const int n = 12345;
  std::vector<int> ints(n);
  std::vector<double> doubles(n);
  std::vector<long long> longs(n);
  for (int i = 0; i < n; ++i) {
    ints[i] = int((i * 40503u) % 100003u) - 50000;
    doubles[i] = ints[i] * 0.25;
    longs[i] = (long long)ints[i] * 1000000007LL;
  }
  auto add = [](auto a, auto b) { return a + b; };
  auto low = [](auto a, auto b) { return std::min(a, b); };
  auto high = [](auto a, auto b) { return std::max(a, b); };
  if (!compare("sum of int", ints, 0, Sum(), add) || !compare("min of int", ints, INT32_MAX, Min(), low) ||
      !compare("max of double", doubles, -DBL_MAX, Max(), high) || !compare("sum of double", doubles, 0.0, Sum(), add) ||
      !compare("sum of long long", longs, 0LL, Sum(), add) ||
      !compare("min of long long", longs, (long long)INT64_MAX, Min(), low))
    return 1;

  const int rows = 37, columns = 101;
  std::vector<float> table(rows * columns);
  for (int i = 0; i < rows * columns; ++i) table[i] = float((i * 7919u) % 53u) - 26.0f;  // many ties
  float *in, *value;
  int* index;
  CK(cudaMalloc(&in, table.size() * sizeof(float)));
  CK(cudaMalloc(&value, rows * sizeof(float)));
  CK(cudaMalloc(&index, rows * sizeof(int)));
  CK(cudaMemcpy(in, table.data(), table.size() * sizeof(float), cudaMemcpyHostToDevice));
  argmaxRows<<<(rows * 32 + 127) / 128, 128>>>(in, index, value, rows, columns);
  CK(cudaGetLastError());
  std::vector<int> gotIndex(rows);
  std::vector<float> gotValue(rows);
  CK(cudaMemcpy(gotIndex.data(), index, rows * sizeof(int), cudaMemcpyDeviceToHost));
  CK(cudaMemcpy(gotValue.data(), value, rows * sizeof(float), cudaMemcpyDeviceToHost));
  CK(cudaFree(in));
  CK(cudaFree(value));
  CK(cudaFree(index));
  for (int r = 0; r < rows; ++r) {
    auto first = table.begin() + r * columns;
    int want = int(std::max_element(first, first + columns) - first);
    if (gotIndex[r] != want || !(gotValue[r] == first[want])) {
      std::printf("reduce_shuffle: row %d: expected %d (%g), got %d (%g)\n", r, want, first[want], gotIndex[r], gotValue[r]);
      return 1;
    }
  }
  std::printf("reduce_shuffle: ok\n");
}
