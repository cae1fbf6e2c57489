// __syncthreads_count, _and and _or: how many threads of a block agree, in a block whose size no warp divides.
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

template <typename T>
void check(T result, char const* const func, const char* const file, int const line) {
  if (result) {
    std::cerr << "CUDA error at " << file << ":" << line << " code=" << static_cast<unsigned int>(result) << " \"" << func
              << "\" \n";
    exit(EXIT_FAILURE);
  }
}
#define check_errors(val) check((val), #val, __FILE__, __LINE__)

// The median of each block's values by bisection: halves the range until one value is left.
__global__ void blockMedian(const int* values, int* medians, int* rounds) {
  const int mine = values[blockIdx.x * blockDim.x + threadIdx.x];
  int low = 0, high = 1 << 16, steps = 0;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (__syncthreads_count(mine < middle) > blockDim.x / 2)
      high = middle;
    else
      low = middle;
    ++steps;
  }
  if (threadIdx.x == 0) medians[blockIdx.x] = low, rounds[blockIdx.x] = steps;
}

__global__ void votes(const int* values, int limit, int* out) {
  const int mine = values[blockIdx.x * blockDim.x + threadIdx.x];
  const int all = __syncthreads_and(mine < limit);
  const int any = __syncthreads_or(mine == limit);
  const int several = __syncthreads_and(mine & 2) || __syncthreads_or(0);
  if (threadIdx.x == blockDim.x - 1) out[blockIdx.x] = (all ? 1 : 0) | (any ? 2 : 0) | (several ? 4 : 0);
}

int main() {
  const int blocks = 9, threads = 77, n = blocks * threads;
  std::vector<int> values(n), medians(blocks), rounds(blocks), got(blocks);
  for (int i = 0; i < n; ++i) values[i] = (i * 40503 + i / threads * 977) % 65536 >> (i / threads % 3 * 3);
  for (int t = 0; t < threads; ++t) values[4 * threads + t] |= 2;  // all of block 4 have this bit

  int *dValues, *dMedians, *dRounds, *dOut;
  check_errors(cudaMalloc(&dValues, n * sizeof(int)));
  check_errors(cudaMalloc(&dMedians, blocks * sizeof(int)));
  check_errors(cudaMalloc(&dRounds, blocks * sizeof(int)));
  check_errors(cudaMalloc(&dOut, blocks * sizeof(int)));
  check_errors(cudaMemcpy(dValues, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  blockMedian<<<blocks, threads>>>(dValues, dMedians, dRounds);
  check_errors(cudaGetLastError());
  const int limit = values[2 * threads + 5];
  votes<<<blocks, threads>>>(dValues, limit, dOut);
  check_errors(cudaGetLastError());
  check_errors(cudaMemcpy(medians.data(), dMedians, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  check_errors(cudaMemcpy(rounds.data(), dRounds, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  check_errors(cudaMemcpy(got.data(), dOut, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  check_errors(cudaFree(dValues));
  check_errors(cudaFree(dMedians));
  check_errors(cudaFree(dRounds));
  check_errors(cudaFree(dOut));

  for (int b = 0; b < blocks; ++b) {
    bool all = true, any = false, several = true;
    int below = 0, upTo = 0;
    for (int t = 0; t < threads; ++t) {
      const int v = values[b * threads + t];
      all = all && v < limit;
      any = any || v == limit;
      several = several && (v & 2);
      below += v < medians[b];
      upTo += v <= medians[b];
    }
    // the median has at most half below it, and with it more than half
    if (below > threads / 2 || upTo <= threads / 2 || rounds[b] != 16) {
      std::cout << "syncthreads_votes: median of block " << b << ": expected the middle of " << threads << ", got " << medians[b]
                << " (" << below << " below) after " << rounds[b] << " rounds\n";
      return 1;
    }
    const int want = all | any << 1 | several << 2;
    if (got[b] != want) {
      std::cout << "syncthreads_votes: block " << b << ": expected " << want << ", got " << got[b] << "\n";
      return 1;
    }
  }
  std::cout << "syncthreads_votes: ok" << std::endl;
}
