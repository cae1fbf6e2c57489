// A bulk copy of the tensor memory accelerator that completes on a cuda::barrier. Build: nvcc -arch=sm_90
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kValues = 256;

__global__ void addOne(const int* in, int* out) {
#if __CUDA_ARCH__ >= 900 || defined(OPSMITH_VIRTUAL_GPU)
  __shared__ alignas(16) int tile[kValues];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(sizeof tile), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);  // refused: barrier_arrive_tx
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  out[threadIdx.x] = tile[threadIdx.x] + 1;
#endif
}

int main() {
  int host[kValues], *in, *out;
  for (int i = 0; i < kValues; ++i) host[i] = i;
  if (cudaMalloc(&in, sizeof host) || cudaMalloc(&out, sizeof host) || cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice)) return 1;
  addOne<<<1, kValues>>>(in, out);
  if (cudaGetLastError() || cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) || cudaFree(in) || cudaFree(out)) return 1;
  for (int i = 0; i < kValues; ++i)
    if (host[i] != i + 1) return 1;
  std::printf("tma_barrier: ok\n");
  return 0;
}
