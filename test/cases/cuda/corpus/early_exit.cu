// Threads that leave early: before a barrier's block is full of work, within a loop, whole blocks, and lanes whose
// warp goes on with the mask of those that stay.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CALL(x) do { if ((x) != cudaSuccess) { \
    printf("Error at %s:%d\n", __FILE__, __LINE__); \
    exit(EXIT_FAILURE); } } while (0)

// The smallest factor of each number, 0 for primes: every thread returns from another place.
__global__ void smallestFactor(const unsigned *numbers, unsigned *factors, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = numbers[i];
  if (v % 2 == 0) {
    factors[i] = v == 2 ? 0 : 2;
    return;
  }
  for (unsigned f = 3; f * f <= v; f += 2) {
    if (v % f == 0) {
      factors[i] = f;
      return;
    }
  }
  factors[i] = 0;
}

// Blocks beyond the end leave as a whole before the barrier; all threads of the others reach it.
__global__ void reverseBlocks(const int *in, int *out, int n) {
  __shared__ int s[64];
  int base = blockIdx.x * blockDim.x;
  if (base >= n) return;
  int here = min((int)blockDim.x, n - base);
  if (threadIdx.x < here) s[threadIdx.x] = in[base + threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= here) return;
  out[base + threadIdx.x] = s[here - 1 - threadIdx.x];
}

// Lanes without an element leave; those that stay know each other by a ballot taken before.
__global__ void sumOfStayers(const int *in, int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned stay = __ballot_sync(0xffffffffu, i < n && in[i] >= 0);
  if (i >= n || in[i] < 0) return;
  int lane = threadIdx.x % 32, leader = __ffs(stay) - 1;
  int sum = 0;
  for (unsigned rest = stay; rest; rest &= rest - 1) sum += __shfl_sync(stay, in[i], __ffs(rest) - 1);
  if (lane == leader) sums[i / 32] = sum;
}

int main() {
  const int n = 1237;
  std::vector<unsigned> numbers(n), factors(n);
  std::vector<int> in(n), reversed(n);
  for (int i = 0; i < n; ++i) {
    numbers[i] = 2 + i * 3;
    in[i] = i % 5 == 1 ? -i : (i % 77 > 60 ? -1 : i);
  }
  for (int i = 320; i < 352; ++i) in[i] = -5;  // one warp leaves as a whole
  int warps = (n + 31) / 32;
  unsigned *dn, *df;
  int *di, *dr, *ds;
  CUDA_CALL(cudaMalloc(&dn, n * 4));
  CUDA_CALL(cudaMalloc(&df, n * 4));
  CUDA_CALL(cudaMalloc(&di, n * 4));
  CUDA_CALL(cudaMalloc(&dr, n * 4));
  CUDA_CALL(cudaMalloc(&ds, warps * 4));
  CUDA_CALL(cudaMemcpy(dn, numbers.data(), n * 4, cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(di, in.data(), n * 4, cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemset(ds, 0, warps * 4));
  smallestFactor<<<(n + 99) / 100, 100>>>(dn, df, n);
  CUDA_CALL(cudaGetLastError());
  reverseBlocks<<<40, 64>>>(di, dr, n);
  CUDA_CALL(cudaGetLastError());
  sumOfStayers<<<(n + 127) / 128, 128>>>(di, ds, n);
  CUDA_CALL(cudaGetLastError());
  std::vector<int> sums(warps), want(warps);
  CUDA_CALL(cudaMemcpy(factors.data(), df, n * 4, cudaMemcpyDeviceToHost));
  CUDA_CALL(cudaMemcpy(reversed.data(), dr, n * 4, cudaMemcpyDeviceToHost));
  CUDA_CALL(cudaMemcpy(sums.data(), ds, warps * 4, cudaMemcpyDeviceToHost));
  CUDA_CALL(cudaFree(dn));
  CUDA_CALL(cudaFree(df));
  CUDA_CALL(cudaFree(di));
  CUDA_CALL(cudaFree(dr));
  CUDA_CALL(cudaFree(ds));

  for (int i = 0; i < n; ++i) {
    unsigned f = 2;
    while (f * f <= numbers[i] && numbers[i] % f) ++f;
    if (f * f > numbers[i]) f = 0;
    if (factors[i] != f) {
      printf("early_exit: factor of element %d (%u): expected %u, got %u\n", i, numbers[i], f, factors[i]);
      return 1;
    }
    int base = i / 64 * 64, here = n - base < 64 ? n - base : 64;
    if (reversed[i] != in[base + here - 1 - (i - base)]) {
      printf("early_exit: reversed %d: expected %d, got %d\n", i, in[base + here - 1 - (i - base)], reversed[i]);
      return 1;
    }
    if (in[i] >= 0) want[i / 32] += in[i];
  }
  for (int w = 0; w < warps; ++w)
    if (sums[w] != want[w]) {
      printf("early_exit: sum of warp %d: expected %d, got %d\n", w, want[w], sums[w]);
      return 1;
    }
  printf("early_exit: ok\n");
  return 0;
}
