// Accesses whose cost on a GPU is known by hand. "line:" names a line for the test.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#include <cstdio>

constexpr int kThreads = 64;  // two warps
constexpr int kBlocks = 3;

__device__ float deviceTable[1024];
__constant__ float constantTable[64];

__global__ void copies(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];                    // line: coalesced
  out[i + 4096] = in[2 * i];         // line: stride 2
  out[i + 8192] = in[32 * i];        // line: stride 32
  out[i + 12288] = in[i + 1];        // line: shifted
  out[i + 16384] = in[0];            // line: broadcast
  out[i + 20480] = in[i & ~31];      // line: one of a warp
}

__global__ void widths(const float4 *in4, float4 *out4, const float2 *in2, const char *in1, const double *in8,
                       const float3 *in3, const half2 *inh, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out4[i] = in4[i];                  // line: float4 copied
  const float4 v = in4[i + 256];     // line: float4 used
  out[i] = v.x + v.y * v.z - v.w;    // line: three operations
  float4 w;
  w.x = v.w * 2;
  w.y = v.z;
  w.z = v.y;
  w.w = v.x;
  out4[i + 256] = w;                 // line: float4 made
  const float2 p = in2[i];           // line: float2
  out[i + 256] = p.x + p.y;
  out[i + 512] = in1[i];             // line: char
  out[i + 768] = float(in8[i]);      // line: double
  const float3 t = in3[i];           // line: float3
  out[i + 1024] = t.x + t.y + t.z;
  const half2 h = inh[i];            // line: half2
  out[i + 1280] = __half2float(__low2half(h));   // line: a conversion
}

// Four floats of a structure, read one by one: four requests with a stride, whether or not the loop is unrolled.
__global__ void structures(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) sum += in[4 * i + k];                             // line: unrolled
  out[i] = sum + in[4 * i] * in[4 * i + 1] * in[4 * i + 2] * in[4 * i + 3];     // line: one by one
}

__global__ void banks(float *out) {
  __shared__ float words[32 * 64];
  __shared__ double doubles[64];
  __shared__ float4 quads[64];
  const int t = threadIdx.x;
  for (int k = t; k < 32 * 64; k += kThreads) words[k] = k;   // line: fill
  doubles[t] = t;                    // line: doubles
  quads[t] = make_float4(t, t, t, t);  // line: quads
  __syncthreads();                   // line: barrier
  float sum = words[t];              // line: no conflict
  sum += words[2 * t];               // line: 2-way
  sum += words[32 * (t & 31)];       // line: 32-way
  sum += words[5];                   // line: shared broadcast
  sum += words[33 * (t & 31)];       // line: padded
  sum += words[t & 15];              // line: half broadcast
  sum += float(doubles[t]);          // line: doubles read
  sum += float(doubles[(2 * t) & 63]);  // line: doubles with stride 2
  sum += quads[t].w;                 // line: a part of quads
  out[blockIdx.x * blockDim.x + t] = sum;
}

__global__ void branches(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2 == 0) out[i] = 1;          // line: even lanes
  if (threadIdx.x % 32 < 16) out[i + 4096] = 1;  // line: lower half
  if (threadIdx.x == 0) out[8192] = 1;           // line: one lane
  // Lane l turns l + 1 times: a warp needs 32 requests.
  float sum = 0;
  for (int k = 0; k <= threadIdx.x % 32; ++k)
    sum += in[k];                                // line: uneven loop
  out[12288 + i] = sum;
  if (i >= n) return;
  out[16384 + i] = 2;                            // line: tail
}

// Lanes that skip a turn, and lanes that leave an inner loop early, meet the others again.
__global__ void turns(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = 0; k < 32; ++k) {
    if ((k + lane) % 4 != 0) continue;
    sum += in[32 * k + lane];                    // line: a quarter of the lanes
  }
  for (int row = 0; row <= lane % 3; ++row)
    for (int column = 0; column < 2; ++column)
      sum += in[32 * (2 * row + column) + lane];  // line: nested
  out[i] = sum;                                  // line: together again
}

__global__ void atomics(int *counters, float *sums) {
  __shared__ int own[32];
  const int t = threadIdx.x;
  if (t < 32) own[t] = 0;
  __syncthreads();
  atomicAdd(&counters[0], 1);        // line: one address
  atomicAdd(&counters[t], 1);        // line: an address each
  atomicAdd(&counters[t / 4], 1);    // line: four lanes each
  atomicAdd(&sums[t % 8], 1.0f);     // line: float atomics
  atomicAdd(&own[t % 2], 1);         // line: shared atomics
}

__global__ void variables(float *out) {
  const int t = threadIdx.x;
  float local[4];
  for (int k = 0; k < 4; ++k) local[(t + k) & 3] = k;   // line: local
  out[t] = deviceTable[t * 2]                            // line: device variable
      + constantTable[t];                                // line: constant
  out[t + 64] = local[t & 3];
}

// The lanes of a warp come together at each step, so a request is one of a step.
__global__ void steps(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 5; ++k) {
    sum += in[i + 32 * k];           // line: step
    sum += __shfl_down_sync(0xffffffffu, sum, 1);
  }
  out[i] = sum;
}

__device__ float twice(const float *p) {
  return 2.0f * *p;                  // line: in a function
}
__global__ void mathematics(const float *in, double *out) {
  const int i = threadIdx.x;
  const float x = twice(in + i);
  const double y = double(x) * 3.0 + 1.0;        // line: two doubles
  out[i] = sqrt(y) / 7.0;                        // line: root and quotient
  out[i + 64] = expf(x);                         // line: function
  out[i + 128] = fmaf(x, x, x);                  // line: fused
}

int main() {
  void *in, *out, *more;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  cudaMalloc(&more, 1 << 20);
  cudaMemset(in, 0, 1 << 20);
  cudaMemset(out, 0, 1 << 20);
  cudaMemset(more, 0, 1 << 20);
  const float *f = (const float *)in;
  copies<<<kBlocks, kThreads>>>(f, (float *)out);
  widths<<<kBlocks, kThreads>>>((const float4 *)in, (float4 *)out, (const float2 *)in, (const char *)in, (const double *)in,
                                (const float3 *)in, (const half2 *)in, (float *)more);
  structures<<<kBlocks, kThreads>>>(f, (float *)out);
  banks<<<kBlocks, kThreads>>>((float *)out);
  branches<<<kBlocks, kThreads>>>(f, (float *)out, 80);
  turns<<<kBlocks, kThreads>>>(f, (float *)out);
  atomics<<<kBlocks, kThreads>>>((int *)out, (float *)more);
  variables<<<1, kThreads>>>((float *)out);
  steps<<<kBlocks, kThreads>>>(f, (float *)out);
  steps<<<kBlocks, kThreads>>>(f, (float *)out);
  mathematics<<<1, kThreads>>>(f, (double *)out);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);
  cudaFree(more);
  return error == cudaSuccess ? 0 : 1;
}
