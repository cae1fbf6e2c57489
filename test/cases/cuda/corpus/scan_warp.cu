// Scans by __shfl_up_sync: inclusive over a block of warps, and a segmented one whose segments begin at flags.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

using std::vector;

static void check(cudaError_t e, int line = __builtin_LINE()) {
  if (e != cudaSuccess) { std::fprintf(stderr, "scan_warp.cu(%d): %s\n", line, cudaGetErrorString(e)); std::exit(1); }
}

__device__ __forceinline__ int lane_id() { return threadIdx.x & 31; }

template <typename T>
__device__ T warp_inclusive(T x) {
  for (int d = 1; d < 32; d <<= 1) {
    T y = __shfl_up_sync(0xffffffff, x, d);
    if (lane_id() >= d) x += y;
  }
  return x;
}

template <typename T, int WARPS>
__global__ void block_scan(const T* in, T* out, T* totals, int n) {
  __shared__ T carry[WARPS];
  int i = blockIdx.x * WARPS * 32 + threadIdx.x;
  T x = i < n ? in[i] : T{};
  T s = warp_inclusive(x);
  int w = threadIdx.x / 32;
  if (lane_id() == 31) carry[w] = s;
  __syncthreads();
  if (w == 0) {
    T c = lane_id() < WARPS ? carry[lane_id()] : T{};
    c = warp_inclusive(c);
    if (lane_id() < WARPS) carry[lane_id()] = c;
  }
  __syncthreads();
  if (w > 0) s += carry[w - 1];
  if (i < n) out[i] = s;
  if (threadIdx.x == WARPS * 32 - 1) totals[blockIdx.x] = s;
}

// Each warp has 32 elements of its own; a set flag begins a segment, and so does each warp.
__global__ void segmented(const float* in, const unsigned char* flags, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? in[i] : 0.f;
  int begins = i < n ? flags[i] : 1;
  unsigned heads = __ballot_sync(~0u, begins) | 1u;
  unsigned upToMe = heads & (0xffffffffu >> (31 - lane_id()));
  int start = 31 - __clz(upToMe);
  for (int d = 1; d < 32; d *= 2) {
    float y = __shfl_up_sync(~0u, x, d);
    if (lane_id() - d >= start) x += y;
  }
  if (i < n) out[i] = x;
}

template <typename T>
bool scans(const char* type, const vector<T>& in) {
  constexpr int W = 5;
  int n = (int)in.size(), per = W * 32, blocks = (n + per - 1) / per;
  T *a, *b, *t;
  check(cudaMalloc(&a, n * sizeof(T)));
  check(cudaMalloc(&b, n * sizeof(T)));
  check(cudaMalloc(&t, blocks * sizeof(T)));
  check(cudaMemcpy(a, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  block_scan<T, W><<<blocks, per>>>(a, b, t, n);
  check(cudaGetLastError());
  vector<T> out(n), totals(blocks);
  check(cudaMemcpy(out.data(), b, n * sizeof(T), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(totals.data(), t, blocks * sizeof(T), cudaMemcpyDeviceToHost));
  check(cudaFree(a)); check(cudaFree(b)); check(cudaFree(t));
  T sum{};
  for (int i = 0; i < n; ++i) {
    if (i % per == 0) sum = T{};
    sum += in[i];
    if (!(out[i] == sum)) {
      std::printf("scan_warp: %s %d: expected %g, got %g\n", type, i, (double)sum, (double)out[i]);
      return false;
    }
    if ((i % per == per - 1 || i == n - 1) && !(totals[i / per] == sum)) {
      std::printf("scan_warp: %s total %d: expected %g, got %g\n", type, i / per, (double)sum, (double)totals[i / per]);
      return false;
    }
  }
  return true;
}

int main() {
  vector<int> ints;
  vector<unsigned long long> longs;
  vector<float> floats;
  for (int i = 0; i < 3001; ++i) {
    ints.push_back(i * i % 91 - 40);
    longs.push_back((unsigned long long)i << 35);
    floats.push_back((i * 7 % 33) * 0.25f);  // quarters: exact in any order
  }
  if (!scans("int", ints) || !scans("unsigned long long", longs) || !scans("float", floats)) return 1;

  int n = (int)floats.size();
  vector<unsigned char> flags(n);
  for (int i = 0; i < n; ++i) flags[i] = (i * 2654435761u >> 28) < 3;
  float *a, *b;
  unsigned char* f;
  check(cudaMalloc(&a, n * sizeof(float)));
  check(cudaMalloc(&b, n * sizeof(float)));
  check(cudaMalloc(&f, n));
  check(cudaMemcpy(a, floats.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(f, flags.data(), n, cudaMemcpyHostToDevice));
  segmented<<<(n + 63) / 64, 64>>>(a, f, b, n);
  check(cudaGetLastError());
  vector<float> out(n);
  check(cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaFree(a)); check(cudaFree(b)); check(cudaFree(f));
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum = flags[i] || i % 32 == 0 ? floats[i] : sum + floats[i];
    if (!(out[i] == sum)) {
      std::printf("scan_warp: segmented %d: expected %g, got %g\n", i, sum, out[i]);
      return 1;
    }
  }
  std::puts("scan_warp: ok");
}
