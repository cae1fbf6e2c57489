// Inline PTX of sm_90: a bulk asynchronous copy. Build: nvcc -arch=sm_90
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

__global__ void reverse(const int* in, int* out) {
#if __CUDA_ARCH__ >= 900 || defined(OPSMITH_VIRTUAL_GPU)
  __shared__ alignas(128) int tile[128];
  __shared__ alignas(8) uint64_t barrier;
  const uint32_t to = (uint32_t)__cvta_generic_to_shared(tile), mark = (uint32_t)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mark));  // refused: mbarrier.init
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mark), "r"(512));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(in), "r"(512), "r"(mark) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; waiting: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra waiting; }" ::"r"(mark) : "memory");
  out[threadIdx.x] = tile[127 - threadIdx.x];
#endif
}

int main() {
  int host[128], *in, *out;
  for (int i = 0; i < 128; ++i) host[i] = i;
  if (cudaMalloc(&in, sizeof host) || cudaMalloc(&out, sizeof host) || cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice)) return 1;
  reverse<<<1, 128>>>(in, out);
  if (cudaGetLastError() || cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) || cudaFree(in) || cudaFree(out)) return 1;
  for (int i = 0; i < 128; ++i)
    if (host[i] != 127 - i) return 1;
  std::printf("bulk_copy_ptx: ok\n");
  return 0;
}
