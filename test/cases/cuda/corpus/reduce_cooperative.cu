// Reductions written with cooperative groups: cg::reduce on tiles, and a hand-written loop over shfl_down.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

void check(cudaError_t result, char const *const func, const char *const file, int const line) {
  if (result) {
    fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\"\n", file, line, static_cast<unsigned int>(result), func);
    exit(EXIT_FAILURE);
  }
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

__global__ void sumWithReduce(const unsigned *input, unsigned long long *total, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

  unsigned mine = 0;
  for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size())
    mine += input[i];

  unsigned sum = cg::reduce(warp, mine, cg::plus<unsigned>());
  cg::sync(warp);
  if (warp.thread_rank() == 0) atomicAdd(total, static_cast<unsigned long long>(sum));
}

template <typename Group>
__device__ int sumDown(const Group &group, int value) {
  for (int offset = group.size() / 2; offset > 0; offset /= 2) value += group.shfl_down(value, offset);
  return value;
}

template <int Width>
__global__ void sumTiles(const int *input, int *sums, int *lowest, int *highest, int tiles) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<Width>(block);
  int which = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  int value = which < tiles ? input[which * Width + tile.thread_rank()] : 0;
  int sum = sumDown(tile, value);
  int low = cg::reduce(tile, value, cg::less<int>());
  int high = cg::reduce(tile, value, cg::greater<int>());
  if (tile.thread_rank() == 0 && which < tiles) {
    sums[which] = sum;
    lowest[which] = low;
    highest[which] = high;
  }
}

template <int Width>
int tilesDiffer(const std::vector<int> &values) {
  int tiles = static_cast<int>(values.size()) / Width;
  int *input, *result;
  checkCudaErrors(cudaMalloc(&input, values.size() * sizeof(int)));
  checkCudaErrors(cudaMalloc(&result, 3 * tiles * sizeof(int)));
  checkCudaErrors(cudaMemcpy(input, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  const int threads = 96, perBlock = threads / Width;
  sumTiles<Width><<<(tiles + perBlock - 1) / perBlock, threads>>>(input, result, result + tiles, result + 2 * tiles, tiles);
  checkCudaErrors(cudaGetLastError());
  std::vector<int> got(3 * tiles);
  checkCudaErrors(cudaMemcpy(got.data(), result, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  checkCudaErrors(cudaFree(input));
  checkCudaErrors(cudaFree(result));
  for (int t = 0; t < tiles; ++t) {
    int sum = 0, low = values[t * Width], high = low;
    for (int i = 0; i < Width; ++i) {
      int v = values[t * Width + i];
      sum += v;
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
    if (got[t] != sum || got[tiles + t] != low || got[2 * tiles + t] != high) {
      printf("reduce_cooperative: tile %d of %d: expected %d %d %d, got %d %d %d\n", t, Width, sum, low, high, got[t],
             got[tiles + t], got[2 * tiles + t]);
      return 1;
    }
  }
  return 0;
}

int main() {
  const int n = 20011;
  std::vector<unsigned> values(n);
  unsigned long long expected = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = (i * 2246822519u) >> 12;
    expected += values[i];
  }
  unsigned *input;
  unsigned long long *total, got = 0;
  checkCudaErrors(cudaMalloc(&input, n * sizeof(unsigned)));
  checkCudaErrors(cudaMalloc(&total, sizeof(unsigned long long)));
  checkCudaErrors(cudaMemcpy(input, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  checkCudaErrors(cudaMemset(total, 0, sizeof(unsigned long long)));
  sumWithReduce<<<6, 224>>>(input, total, n);
  checkCudaErrors(cudaGetLastError());
  checkCudaErrors(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
  checkCudaErrors(cudaFree(input));
  checkCudaErrors(cudaFree(total));
  if (got != expected) {
    printf("reduce_cooperative: sum: expected %llu, got %llu\n", expected, got);
    return 1;
  }

  std::vector<int> signedValues(32 * 41);
  for (size_t i = 0; i < signedValues.size(); ++i) signedValues[i] = static_cast<int>((i * 48271u) % 2003u) - 1001;
  if (tilesDiffer<4>(signedValues) || tilesDiffer<8>(signedValues) || tilesDiffer<16>(signedValues) ||
      tilesDiffer<32>(signedValues))
    return 1;
  printf("reduce_cooperative: ok\n");
  return 0;
}
