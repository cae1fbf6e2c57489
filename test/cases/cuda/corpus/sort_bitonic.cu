// Bitonic sort of pairs: short strides within shared memory, long ones one launch each. Padding makes any length right.
#include <cuda_runtime.h>
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const int SHARED = 256;  // elements that one block of 128 threads sorts

#define ASSERT_CUDA(e) \
  if ((e) != cudaSuccess) { fprintf(stderr, "sort_bitonic.cu:%d failed\n", __LINE__); exit(1); }

__device__ inline void compareExchange(int2 &a, int2 &b, bool ascending)
{
  if ((a.x > b.x) == ascending && a.x != b.x) {
    int2 t = a;
    a = b;
    b = t;
  }
}

__global__ void sortShared(int2 *data)
{
  __shared__ int2 s[SHARED];
  int2 *mine = data + blockIdx.x * SHARED;
  s[threadIdx.x] = mine[threadIdx.x];
  s[threadIdx.x + SHARED / 2] = mine[threadIdx.x + SHARED / 2];
  for (int size = 2; size <= SHARED; size <<= 1) {
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      bool up = ((blockIdx.x * SHARED + pos) & size) == 0;
      compareExchange(s[pos], s[pos + stride], up);
    }
  }
  __syncthreads();
  mine[threadIdx.x] = s[threadIdx.x];
  mine[threadIdx.x + SHARED / 2] = s[threadIdx.x + SHARED / 2];
}

__global__ void mergeGlobal(int2 *data, int size, int stride)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int pos = 2 * t - (t & (stride - 1));
  compareExchange(data[pos], data[pos + stride], (pos & size) == 0);
}

__global__ void mergeShared(int2 *data, int size)
{
  __shared__ int2 s[SHARED];
  int2 *mine = data + blockIdx.x * SHARED;
  s[threadIdx.x] = mine[threadIdx.x];
  s[threadIdx.x + SHARED / 2] = mine[threadIdx.x + SHARED / 2];
  for (int stride = SHARED / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    compareExchange(s[pos], s[pos + stride], ((blockIdx.x * SHARED + pos) & size) == 0);
  }
  __syncthreads();
  mine[threadIdx.x] = s[threadIdx.x];
  mine[threadIdx.x + SHARED / 2] = s[threadIdx.x + SHARED / 2];
}

int main()
{
  for (int n : {1, 200, 256, 3000}) {
    int padded = SHARED;
    while (padded < n) padded *= 2;
    std::vector<int2> v(padded, make_int2(INT_MAX, -1));
    unsigned r = 77;
    for (int i = 0; i < n; ++i) {
      r = r * 1103515245u + 12345u;
      v[i] = make_int2((int)(r >> 8) - (1 << 23), i);
    }
    std::vector<int2> before = v;

    int2 *d;
    ASSERT_CUDA(cudaMalloc(&d, padded * sizeof(int2)));
    ASSERT_CUDA(cudaMemcpy(d, v.data(), padded * sizeof(int2), cudaMemcpyHostToDevice));
    sortShared<<<padded / SHARED, SHARED / 2>>>(d);
    ASSERT_CUDA(cudaGetLastError());
    for (int size = 2 * SHARED; size <= padded; size <<= 1) {
      for (int stride = size / 2; stride >= SHARED; stride >>= 1) {
        mergeGlobal<<<padded / SHARED, SHARED / 2>>>(d, size, stride);
        ASSERT_CUDA(cudaGetLastError());
      }
      mergeShared<<<padded / SHARED, SHARED / 2>>>(d, size);
      ASSERT_CUDA(cudaGetLastError());
    }
    ASSERT_CUDA(cudaMemcpy(v.data(), d, padded * sizeof(int2), cudaMemcpyDeviceToHost));
    ASSERT_CUDA(cudaFree(d));

    std::vector<int> keys;
    for (int i = 0; i < n; ++i) keys.push_back(before[i].x);
    std::sort(keys.begin(), keys.end());
    std::vector<bool> seen(n);
    for (int i = 0; i < n; ++i) {
      bool known = v[i].y >= 0 && v[i].y < n && !seen[v[i].y] && before[v[i].y].x == v[i].x;
      if (v[i].x != keys[i] || !known) {
        printf("sort_bitonic: element %d of %d: expected key %d, got %d from %d\n", i, n, keys[i], v[i].x, v[i].y);
        return 1;
      }
      seen[v[i].y] = true;
    }
  }
  printf("sort_bitonic: ok\n");
  return 0;
}
