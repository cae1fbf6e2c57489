// The tree of additions in dynamic shared memory, in two launches: partial sums of blocks, then their sum.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
__global__ void reduceBlocks(const T* in, T* out, unsigned n) {
  extern __shared__ unsigned char raw[];
  T* partial = reinterpret_cast<T*>(raw);
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (blockDim.x * 2) + tid;

  T sum = T(0);
  if (i < n) sum += in[i];
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  partial[tid] = sum;
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = partial[0];
}

// The first form that tutorials show: neighbours are added, and threads diverge.
__global__ void reduceInterleaved(const int* in, int* out, unsigned n) {
  __shared__ int data[128];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) {
      data[threadIdx.x] += data[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = data[0];
}

static void must(cudaError_t status, int line) {
  if (status != cudaSuccess) {
    fprintf(stderr, "reduce_shared.cu:%d: %s\n", line, cudaGetErrorString(status));
    exit(3);
  }
}
#define MUST(call) must(call, __LINE__)

template <class T>
T sumOnDevice(const std::vector<T>& values, unsigned threads) {
  unsigned n = static_cast<unsigned>(values.size());
  unsigned blocks = (n + threads * 2 - 1) / (threads * 2);
  T *in, *partial, *total;
  MUST(cudaMalloc(&in, n * sizeof(T)));
  MUST(cudaMalloc(&partial, blocks * sizeof(T)));
  MUST(cudaMalloc(&total, sizeof(T)));
  MUST(cudaMemcpy(in, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  reduceBlocks<T><<<blocks, threads, threads * sizeof(T)>>>(in, partial, n);
  MUST(cudaGetLastError());
  unsigned last = 1;
  while (last * 2 < blocks) last *= 2;
  reduceBlocks<T><<<1, last, last * sizeof(T)>>>(partial, total, blocks);
  MUST(cudaGetLastError());
  T result;
  MUST(cudaMemcpy(&result, total, sizeof(T), cudaMemcpyDeviceToHost));
  MUST(cudaFree(in));
  MUST(cudaFree(partial));
  MUST(cudaFree(total));
  return result;
}

int main() {
  for (unsigned n : {1u, 2u, 31u, 1000u, 4096u, 30011u}) {
    std::vector<int> ints(n);
    std::vector<double> doubles(n);
    long long wantInt = 0;
    double wantDouble = 0;
    for (unsigned i = 0; i < n; ++i) {
      ints[i] = static_cast<int>((i * 2654435761u) >> 20) - 2048;
      doubles[i] = ints[i] / 8.0;  // sums of eighths are exact in any order
      wantInt += ints[i];
      wantDouble += doubles[i];
    }
    int gotInt = sumOnDevice(ints, 128);
    if (gotInt != wantInt) {
      printf("reduce_shared: sum of %u ints: expected %lld, got %d\n", n, wantInt, gotInt);
      return 1;
    }
    double gotDouble = sumOnDevice(doubles, 64);
    if (!(gotDouble == wantDouble)) {
      printf("reduce_shared: sum of %u doubles: expected %.17g, got %.17g\n", n, wantDouble, gotDouble);
      return 1;
    }

    unsigned blocks = (n + 127) / 128;
    int *in, *out;
    MUST(cudaMalloc(&in, n * sizeof(int)));
    MUST(cudaMalloc(&out, blocks * sizeof(int)));
    MUST(cudaMemcpy(in, ints.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    reduceInterleaved<<<blocks, 128>>>(in, out, n);
    MUST(cudaGetLastError());
    std::vector<int> sums(blocks);
    MUST(cudaMemcpy(sums.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    MUST(cudaFree(in));
    MUST(cudaFree(out));
    for (unsigned b = 0; b < blocks; ++b) {
      int want = 0;
      for (unsigned i = b * 128; i < n && i < (b + 1) * 128; ++i) want += ints[i];
      if (sums[b] != want) {
        printf("reduce_shared: block %u of %u ints: expected %d, got %d\n", b, n, want, sums[b]);
        return 1;
      }
    }
  }
  puts("reduce_shared: ok");
  return 0;
}
