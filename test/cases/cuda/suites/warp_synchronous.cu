// Reductions and a scan that rely on the lanes of a warp to go in step, as programs before Volta did:
// volatile shared memory, no barrier below 32 threads. A checked run names what is missing.
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ void warpReduce(volatile int *sdata, unsigned int tid) {
  sdata[tid] += sdata[tid + 32];
  sdata[tid] += sdata[tid + 16];
  sdata[tid] += sdata[tid + 8];
  sdata[tid] += sdata[tid + 4];
  sdata[tid] += sdata[tid + 2];
  sdata[tid] += sdata[tid + 1];
}

template <unsigned int blockSize>
__global__ void reduce5(const int *in, int *out, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockSize * 2 + tid;
  int mySum = (i < n) ? in[i] : 0;
  if (i + blockSize < n) mySum += in[i + blockSize];
  sdata[tid] = mySum;
  __syncthreads();
  if (blockSize >= 256) { if (tid < 128) { sdata[tid] = mySum = mySum + sdata[tid + 128]; } __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) { sdata[tid] = mySum = mySum + sdata[tid + 64]; } __syncthreads(); }
  if (tid < 32) {
    volatile int *smem = sdata;
    if (blockSize >= 64) { smem[tid] = mySum = mySum + smem[tid + 32]; }
    if (blockSize >= 32) { smem[tid] = mySum = mySum + smem[tid + 16]; }
    if (blockSize >= 16) { smem[tid] = mySum = mySum + smem[tid + 8]; }
    if (blockSize >= 8) { smem[tid] = mySum = mySum + smem[tid + 4]; }
    if (blockSize >= 4) { smem[tid] = mySum = mySum + smem[tid + 2]; }
    if (blockSize >= 2) { smem[tid] = mySum = mySum + smem[tid + 1]; }
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

__global__ void reduce4(const int *in, int *out) {
  __shared__ int s[128];
  const unsigned tid = threadIdx.x;
  s[tid] = in[blockIdx.x * 128 + tid];
  __syncthreads();
  if (tid < 64) s[tid] += s[tid + 64];
  __syncthreads();
  if (tid < 32) warpReduce(s, tid);
  if (tid == 0) out[blockIdx.x] = s[0];
}

// An inclusive scan of each warp; each lane has its own guard.
__global__ void scanWarps(const int *in, int *out) {
  volatile __shared__ int s[128];
  const unsigned idx = threadIdx.x, lane = idx & 31;
  s[idx] = in[idx];
  if (lane >= 1) s[idx] = s[idx - 1] + s[idx];
  if (lane >= 2) s[idx] = s[idx - 2] + s[idx];
  if (lane >= 4) s[idx] = s[idx - 4] + s[idx];
  if (lane >= 8) s[idx] = s[idx - 8] + s[idx];
  if (lane >= 16) s[idx] = s[idx - 16] + s[idx];
  out[idx] = s[idx];
}

// Fewer and fewer lanes in a loop, then all read what the first left.
__global__ void meanOfWarp(const int *in, int *out) {
  __shared__ volatile int s[32];
  const int lane = threadIdx.x;
  s[lane] = in[lane];
  for (int offset = 16; offset > 0; offset >>= 1)
    if (lane < offset)
      s[lane] += s[lane + offset];
  out[lane] = s[0] - in[lane];
}

// A histogram of a warp: lanes that collide try again, told apart by a tag.
__global__ void taggedHistogram(const int *in, int *bins, int n) {
  volatile __shared__ unsigned hist[16];
  if (threadIdx.x < 16) hist[threadIdx.x] = 0;
  const unsigned tag = threadIdx.x << 27;
  for (int i = threadIdx.x; i < n; i += 32) {
    unsigned count;
    const int bin = in[i] & 15;
    do {
      count = hist[bin] & 0x07FFFFFFU;
      count = tag | (count + 1);
      hist[bin] = count;
    } while (hist[bin] != count);
  }
  if (threadIdx.x < 16) bins[threadIdx.x] = hist[threadIdx.x] & 0x07FFFFFFU;
}

int main() {
  const int n = 4096;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 37 + 11) % 101;
  int *d_in, *d_out;
  cudaMalloc((void **)&d_in, n * sizeof(int));
  cudaMalloc((void **)&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  int bad = 0;
  auto expect = [&](const char *what, int i, int want) {
    if (out[i] != want && !bad++) printf("%s, element %d: expected %d, got %d\n", what, i, want, out[i]);
  };
  reduce5<256><<<n / 512, 256, 256 * sizeof(int)>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, n / 512 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int b = 0; b < n / 512; ++b) {
    int want = 0;
    for (int i = 0; i < 512; ++i) want += in[b * 512 + i];
    expect("reduce5", b, want);
  }
  reduce4<<<n / 128, 128>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, n / 128 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int b = 0; b < n / 128; ++b) {
    int want = 0;
    for (int i = 0; i < 128; ++i) want += in[b * 128 + i];
    expect("reduce4", b, want);
  }
  scanWarps<<<1, 128>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, 128 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0, sum = 0; i < 128; ++i) {
    sum = i % 32 == 0 ? in[i] : sum + in[i];
    expect("scan", i, sum);
  }
  meanOfWarp<<<1, 32>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
  int total = 0;
  for (int i = 0; i < 32; ++i) total += in[i];
  for (int i = 0; i < 32; ++i) expect("mean", i, total - in[i]);
  taggedHistogram<<<1, 32>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, 16 * sizeof(int), cudaMemcpyDeviceToHost);
  int bins[16] = {};
  for (int i = 0; i < n; ++i) ++bins[in[i] & 15];
  for (int i = 0; i < 16; ++i) expect("histogram", i, bins[i]);
  cudaFree(d_in);
  cudaFree(d_out);
  if (bad) return 1;
  printf("warp_synchronous: ok\n");
}
