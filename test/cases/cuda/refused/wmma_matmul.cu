// A 16x16 product on tensor cores through nvcuda::wmma.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>  // refused: mma.h
#include <cstdio>

using namespace nvcuda;

__global__ void multiply(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main() {
  half *a, *b;
  float* c;
  if (cudaMalloc(&a, 512) || cudaMalloc(&b, 512) || cudaMalloc(&c, 1024) || cudaMemset(a, 0, 512) || cudaMemset(b, 0, 512)) return 1;
  multiply<<<1, 32>>>(a, b, c);
  float got[256];
  if (cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost)) return 1;
  for (float v : got)
    if (!(v == 0.0f)) return 1;
  std::printf("wmma_matmul: ok\n");
  return 0;
}
