// Exclusive scan after Blelloch: up-sweep and down-sweep in shared memory with padding against bank conflicts,
// sums of blocks scanned in turn, then added. Any length.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#define BLOCK 128
#define PER_BLOCK (2 * BLOCK)

#define CHECK(x) do { cudaError_t s = (x); if (s != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(s)); exit(1); } } while (0)

__global__ void scanBlocks(unsigned* out, const unsigned* in, unsigned* sums, int n) {
  __shared__ unsigned temp[PER_BLOCK + (PER_BLOCK >> LOG_NUM_BANKS)];
  int t = threadIdx.x;
  int base = blockIdx.x * PER_BLOCK;

  int ai = t, bi = t + BLOCK;
  int bankA = CONFLICT_FREE_OFFSET(ai), bankB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bankA] = base + ai < n ? in[base + ai] : 0;
  temp[bi + bankB] = base + bi < n ? in[base + bi] : 0;

  int offset = 1;
  for (int d = PER_BLOCK >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }

  if (t == 0) {
    int last = PER_BLOCK - 1 + CONFLICT_FREE_OFFSET(PER_BLOCK - 1);
    if (sums) sums[blockIdx.x] = temp[last];
    temp[last] = 0;
  }

  for (int d = 1; d < PER_BLOCK; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      unsigned hold = temp[a];
      temp[a] = temp[b];
      temp[b] += hold;
    }
  }
  __syncthreads();

  if (base + ai < n) out[base + ai] = temp[ai + bankA];
  if (base + bi < n) out[base + bi] = temp[bi + bankB];
}

__global__ void addSums(unsigned* data, const unsigned* sums, int n) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = sums[blockIdx.x];
  __syncthreads();
  int i = blockIdx.x * PER_BLOCK + threadIdx.x;
  if (i < n) data[i] += sum;
  if (i + BLOCK < n) data[i + BLOCK] += sum;
}

// Scans on the device, with itself for the sums of blocks.
static void exclusiveScan(unsigned* out, const unsigned* in, int n) {
  int blocks = (n + PER_BLOCK - 1) / PER_BLOCK;
  if (blocks == 1) {
    scanBlocks<<<1, BLOCK>>>(out, in, nullptr, n);
    CHECK(cudaGetLastError());
    return;
  }
  unsigned *sums, *offsets;
  CHECK(cudaMalloc(&sums, blocks * sizeof(unsigned)));
  CHECK(cudaMalloc(&offsets, blocks * sizeof(unsigned)));
  scanBlocks<<<blocks, BLOCK>>>(out, in, sums, n);
  CHECK(cudaGetLastError());
  exclusiveScan(offsets, sums, blocks);
  addSums<<<blocks, BLOCK>>>(out, offsets, n);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(sums));
  CHECK(cudaFree(offsets));
}

int main() {
  const int sizes[] = {1, 255, 256, 257, 5000, 66001};
  for (int n : sizes) {
    unsigned* host = new unsigned[n];
    unsigned* got = new unsigned[n];
    unsigned x = 9u + n;
    for (int i = 0; i < n; ++i) {
      x ^= x << 13, x ^= x >> 17, x ^= x << 5;
      host[i] = x % 1000;
    }
    unsigned *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, n * sizeof(unsigned)));
    CHECK(cudaMemcpy(in, host, n * sizeof(unsigned), cudaMemcpyHostToDevice));
    exclusiveScan(out, in, n);
    CHECK(cudaMemcpy(got, out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    unsigned want = 0;
    for (int i = 0; i < n; ++i) {
      if (got[i] != want) {
        printf("scan_blelloch: element %d of %d: expected %u, got %u\n", i, n, want, got[i]);
        return 1;
      }
      want += host[i];
    }
    delete[] host;
    delete[] got;
  }
  printf("scan_blelloch: ok\n");
  return 0;
}
